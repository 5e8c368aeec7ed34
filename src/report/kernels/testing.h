// Profiles of kernels that are written inside tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ingest/testing.h"
#include "report/expertise.h"
#include "report/kernels/kernel_profile.h"

namespace frx::report::kernel_testing {

inline const knowledge::Knowledge& known() {
  static const std::shared_ptr<const Expertise> expertise = Expertise::load("").value();
  return expertise->knowledge();
}

// One launch: a name, its grid along x, and counters with unit and value.
struct Launch {
  std::string kernel = "gemm";
  int grid = 64;
  struct Counter {
    std::string name, unit, value;
  };
  std::vector<Counter> counters = {};
};

// A CSV of ncu --page raw in its tall form, with every field quoted. `cc`: of the GPU.
inline std::string tall_csv(const std::vector<Launch>& launches, std::string_view cc = "9.0") {
  std::string csv =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\","
      "\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  int id = 0;
  for (const Launch& launch : launches) {
    for (const Launch::Counter& counter : launch.counters)
      csv += fmt::format(
          "\"{}\",\"1\",\"app\",\"h\",\"{}\",\"1\",\"7\",\"(256, 1, 1)\",\"({}, 1, 1)\",\"0\",\"{}\",\"raw\",\"{}\",\"{}\",\"{}\"\n", id,
          launch.kernel, launch.grid, cc, counter.name, counter.unit, counter.value);
    ++id;
  }
  return csv;
}

inline model::Session launches_in(std::string_view csv) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(csv);
  Result<model::Session> session = ingest::read_profile("report.csv", *bytes, known().metrics, {}, ingest::Keep::every_launch);
  if (session) return std::move(*session);
  ADD_FAILURE() << to_string(session.error());
  return {};
}

inline KernelProfile profile_in(std::string_view csv, const KernelProfileRequest& request) {
  Result<KernelProfile> made = kernel_profile_of(launches_in(csv), request, known());
  if (made) return std::move(*made);
  ADD_FAILURE() << to_string(made.error());
  return {};
}

// Times, FP32 operations and bytes of DRAM of a launch.
inline Launch counted_launch(std::string_view us, std::string_view ffma, std::string_view bytes) {
  return {"vector_fma",
          64,
          {{"gpu__time_duration.sum", "us", std::string(us)},
           {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "0"},
           {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", "0"},
           {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", std::string(ffma)},
           {"dram__bytes.sum", "byte", std::string(bytes)}}};
}

}  // namespace frx::report::kernel_testing
