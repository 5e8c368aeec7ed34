// Profiles written inside tests: rows of an Nsight Compute export in, a diagnosis out.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/advice.h"
#include "base/files.h"
#include "diagnose/diagnosis.h"
#include "ingest/profile.h"

namespace frx::advise::testing {

inline const knowledge::Knowledge& known() {
  static const knowledge::Knowledge knowledge = knowledge::Knowledge::load("").value();
  return knowledge;
}

inline const Catalogue& catalogue() {
  static const Catalogue loaded = Catalogue::load(known()).value();
  return loaded;
}

using Values = std::vector<std::pair<std::string_view, double>>;

// The known values of a test, by name: {"dram_pct", 92}, {"label.register_spills", 1}. Thresholds have their defaults; everything else is
// unknown.
class Given : public Circumstances {
 public:
  Given(Domain domain, const Values& values) : domain_(domain) {
    for (const auto& [name, value] : values) {
      const std::optional<knowledge::Operand> operand = catalogue().names().find(domain, name);
      EXPECT_TRUE(operand && operand->meaning == nullptr && operand->slot != slots::other_domain) << name << " is nothing that is measured";
      if (operand) values_[operand->slot] = value;
    }
  }
  Domain domain() const override { return domain_; }
  std::optional<double> value(std::uint32_t slot) const override {
    if (slot >= slots::threshold && slot < slots::label) return catalogue().names().thresholds().of_slot(slot - slots::threshold);
    const auto at = values_.find(slot);
    return at == values_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  Domain domain_;
  std::map<std::uint32_t, double> values_;
};

struct Counter {
  std::string_view metric;
  std::string_view unit;
  double value;
};

// One launch of each kernel.
class Profile {
 public:
  Profile& kernel(std::string_view name, const std::vector<Counter>& rows) {
    for (const Counter& row : rows) {
      text_ += fmt::format(
          "\"{}\",\"1\",\"app\",\"host\",\"{}\",\"1\",\"7\",\"(1024, 1, 1)\",\"(256, 1, 1)\",\"0\",\"8.0\",\"S\",\"{}\",\"{}\",\"{}\"\n",
          id_, name, row.metric, row.unit, row.value);
    }
    ++id_;
    return *this;
  }

  diagnose::RunDiagnosis diagnosed() const {
    const std::string bytes =
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Grid Size\",\"Block Size\","
        "\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" +
        text_;
    const std::unique_ptr<ByteSource> source = open_bytes(bytes);
    Result<model::Session> session = ingest::read_profile("profile", *source, known().metrics);
    if (!session) {
      ADD_FAILURE() << to_string(session.error());
      return {};
    }
    return diagnose::diagnose(std::move(*session), known(), {}).value();
  }

 private:
  std::string text_;
  int id_ = 0;
};

// Counters by the names that ncu prints.
constexpr std::string_view duration = "gpu__time_duration.sum";
constexpr std::string_view dram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view sm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view load_bytes = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
constexpr std::string_view load_sectors = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio";
constexpr std::string_view issue = "sm__issue_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view barrier = "smsp__warp_issue_stalled_barrier_per_warp_active.pct";
constexpr std::string_view long_scoreboard = "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct";
constexpr std::string_view wait = "smsp__warp_issue_stalled_wait_per_warp_active.pct";
constexpr std::string_view lg_throttle = "smsp__warp_issue_stalled_lg_throttle_per_warp_active.pct";

}  // namespace frx::advise::testing
