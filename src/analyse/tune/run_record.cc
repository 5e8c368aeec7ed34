#include <limits>
#include <nlohmann/json.hpp>

#include "analyse/tune/trial_folder.h"
#include "answer/json.h"
#include "base/files.h"
#include "report/operators/json_members.h"

namespace frx::analyse {
namespace {

using answer::Json;
using PlainJson = nlohmann::json;

constexpr std::uint64_t largest_record = 1 << 20;

Json gpu_record(const model::GpuInterval& gpu) {
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"driver", gpu.driver},
          {"source", gpu.source},
          {"samples", gpu.samples},
          {"mean_temperature_c", answer::json_or_null(gpu.mean_temperature_c)},
          {"mean_sm_clock_mhz", answer::json_or_null(gpu.mean_sm_clock_mhz)},
          {"mean_memory_clock_mhz", answer::json_or_null(gpu.mean_memory_clock_mhz)},
          {"mean_power_w", gpu.power_watts ? Json(gpu.power_watts->mean) : Json(nullptr)},
          {"memory_peak_bytes", answer::json_or_null(gpu.memory_peak_bytes)},
          {"memory_total_bytes", answer::json_or_null(gpu.memory_total_bytes)},
          {"slowed_by", answer::json_or_null(gpu.slowed_by)}};
}

model::GpuInterval gpu_of_record(const PlainJson& record) {
  model::GpuInterval gpu;
  gpu.index = static_cast<unsigned>(report::whole_of(record, "index").value_or(0));
  gpu.name = report::text_of(record, "name");
  gpu.driver = report::text_of(record, "driver");
  gpu.source = report::text_of(record, "source");
  gpu.samples = static_cast<std::size_t>(std::max<std::int64_t>(0, report::whole_of(record, "samples").value_or(0)));
  gpu.mean_temperature_c = report::number_of(record, "mean_temperature_c");
  gpu.mean_sm_clock_mhz = report::number_of(record, "mean_sm_clock_mhz");
  gpu.mean_memory_clock_mhz = report::number_of(record, "mean_memory_clock_mhz");
  gpu.memory_peak_bytes = report::number_of(record, "memory_peak_bytes");
  gpu.memory_total_bytes = report::number_of(record, "memory_total_bytes");
  if (const auto power = report::number_of(record, "mean_power_w")) gpu.power_watts = model::SampledRange{*power, *power, *power};
  if (const auto at = record.find("slowed_by"); at != record.end() && at->is_array()) {
    gpu.slowed_by.emplace();
    for (const PlainJson& reason : *at) {
      if (reason.is_string()) gpu.slowed_by->push_back(reason.get<std::string>());
    }
  }
  return gpu;
}

}  // namespace

std::string run_record_text(const report::TuneRun& run) {
  Json gpus = Json::array();
  for (const model::GpuInterval& gpu : run.gpus) gpus.push_back(gpu_record(gpu));
  return answer::json_text({{"schema", "tune_run.v1"},
                            {"number", run.number},
                            {"exit_code", run.exit_code},
                            {"failure", run.failure},
                            {"stopped", run.stopped},
                            {"started_at", run.started_at},
                            {"seconds", run.seconds},
                            {"gpus", std::move(gpus)}});
}

Result<report::TuneRun> read_run_record(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_file(path, largest_record));
  const PlainJson record = PlainJson::parse(text, nullptr, false);
  const auto exit_code = record.is_object() ? report::whole_of(record, "exit_code") : std::nullopt;
  const auto seconds = record.is_object() ? report::number_of(record, "seconds") : std::nullopt;
  if (report::text_of(record, "schema") != "tune_run.v1" || !exit_code || !seconds)
    return fail(ErrorKind::malformed, "expected the record of a run (tune_run.v1)").at(path);
  report::TuneRun run;
  run.number = static_cast<std::size_t>(std::max<std::int64_t>(1, report::whole_of(record, "number").value_or(1)));
  run.exit_code = static_cast<int>(*exit_code);
  run.failure = report::text_of(record, "failure");
  run.stopped = report::text_of(record, "stopped");
  run.started_at = report::text_of(record, "started_at");
  run.seconds = *seconds;
  if (const auto gpus = record.find("gpus"); gpus != record.end() && gpus->is_array()) {
    for (const PlainJson& gpu : *gpus) run.gpus.push_back(gpu_of_record(gpu));
  }
  return run;
}

}  // namespace frx::analyse
