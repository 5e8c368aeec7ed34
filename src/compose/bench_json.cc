#include <algorithm>

#include "compose/bench.h"
#include "compose/json.h"
#include "compose/ncu_comparison.h"

namespace frx::compose {
namespace {

using model::Bench;
using model::BenchSide;
using report::BenchClock;
using report::BenchOutputs;
using report::BenchReport;
using report::BenchTiming;

const BenchClock* clock_named(const BenchReport& report, std::string_view key) {
  const auto at = std::ranges::find(report.clocks, key, &BenchClock::key);
  return at == report.clocks.end() ? nullptr : &*at;
}

Json timing_json(const BenchReport& report, const std::optional<BenchTiming>& timing) {
  if (!timing) return nullptr;
  return {{"median_ms", number(timing->median)}, {"min_ms", number(timing->min)}, {"max_ms", number(timing->max)},
          {"stdev_ms", number(timing->stdev)},   {"runs", timing->runs},          {"warmup", report.bench->warmup}};
}

// The documented object has the times in itself; the ones of the older shape stand under `timing`.
Json side_json(const BenchReport& report, const BenchSide& side, std::size_t which) {
  const BenchClock& wall = report.clocks.front();
  const Json timing = timing_json(report, wall.timing[which]);
  Json json{{"src", side.source}, {"compile_ms", number(side.compile_ms, 1)}};
  for (const char* key : {"median_ms", "min_ms", "max_ms", "stdev_ms", "runs", "warmup"})
    json[key] = timing.is_null() ? Json(nullptr) : timing[key];
  json["timing"] = timing;
  json["samples_ms"] = Json::array();
  for (const double value : wall.values[which]) json["samples_ms"].push_back(number(value));
  for (const auto& [key, clock] : {std::pair("kernel_us", "cuda_event"), std::pair("kernel_cold_us", "cuda_event_cold")}) {
    json[key] = nullptr;
    const BenchClock* found = clock_named(report, clock);
    if (!found) continue;
    json[key] = Json::array();
    for (const double value : found->values[which]) json[key].push_back(number(value));
  }
  json["run_error"] = text_or_null(side.run_error);
  return json;
}

Json compile_errors(const Bench& bench) {
  Json errors = Json::array();
  for (const auto& [name, side] : {std::pair("before", &bench.before), std::pair("after", &bench.after)}) {
    if (!side->compile_error.empty()) errors.push_back({{"side", name}, {"src", side->source}, {"error", side->compile_error}});
  }
  return errors;
}

Json kernel_event(const BenchReport& report, std::string_view key, std::string_view source) {
  const BenchClock* clock = clock_named(report, key);
  Json json{
      {"available", clock != nullptr}, {"baseline_us", nullptr}, {"optimized_us", nullptr}, {"speedup_x", nullptr}, {"source", source}};
  if (!clock) return json;
  json["available"] = clock->is_of_both();
  if (clock->timing[0]) json["baseline_us"] = number(clock->timing[0]->median, 3);
  if (clock->timing[1]) json["optimized_us"] = number(clock->timing[1]->median, 3);
  json["speedup_x"] = number(report.speedup(key), 3);
  return json;
}

Json verdict_json(const BenchReport& report) {
  Json json{{"answer", derive::compare::name_of(report.answer)},
            {"basis", report.basis ? Json(report.basis->key) : Json(nullptr)},
            {"time_ratio", nullptr},
            {"time_ratio_low", nullptr},
            {"time_ratio_high", nullptr},
            {"confidence_level", 0.99}};
  if (!report.basis) return json;
  json["time_ratio"] = number(report.basis->judgement.ratio);
  json["time_ratio_low"] = number(report.basis->judgement.low);
  json["time_ratio_high"] = number(report.basis->judgement.high);
  return json;
}

std::string_view name_of(BenchOutputs outputs) {
  switch (outputs) {
    case BenchOutputs::unknown: return "unknown";
    case BenchOutputs::same: return "same";
    case BenchOutputs::differ: return "differ";
    case BenchOutputs::unstable: return "unstable";
  }
  return "";
}

Json environment_json(const Bench& bench) {
  Json json{{"compiler", bench.compiler}, {"gpu", nullptr}, {"driver", nullptr}};
  if (!bench.gpu) return json;
  json["gpu"] = bench.gpu->name;
  json["driver"] = text_or_null(bench.gpu->driver);
  json["sm_clock_before_mhz"] = number(bench.gpu->sm_clock_before_mhz, 0);
  json["sm_clock_after_mhz"] = number(bench.gpu->sm_clock_after_mhz, 0);
  json["temperature_before_c"] = number(bench.gpu->temperature_before_c, 0);
  json["temperature_after_c"] = number(bench.gpu->temperature_after_c, 0);
  json["throttled"] = bench.gpu->was_throttled;
  return json;
}

// Kernel times before those of processes.
std::pair<std::optional<double>, std::string_view> primary_speedup(const BenchReport& report) {
  if (const std::optional<double> event = report.speedup("cuda_event")) return {event, "cuda_event"};
  if (report.ncu && report.ncu->speedup) return {report.ncu->speedup, "kernel_gpu_time"};
  return {report.speedup("wall_clock"), "wall_clock"};
}

}  // namespace

Json bench_json(const BenchReport& report) {
  const Bench& bench = *report.bench;
  Json json{{"schema", "frx_bench_v0"}, {"arch", text_or_null(bench.architecture)}};
  json["before"] = side_json(report, bench.before, 0);
  json["after"] = side_json(report, bench.after, 1);
  json["speedup_x"] = number(report.speedup("wall_clock"), 3);
  json["ncu_diff"] = report.ncu ? ncu_comparison_json(*report.ncu) : Json(nullptr);
  json["ncu_error"] = text_or_null(report.ncu_trouble);
  json["compile_errors"] = compile_errors(bench);
  json["kernel_event"] = kernel_event(report, "cuda_event", "FRX_KERNEL_US of each run, the median of them");
  json["kernel_event_cold"] = kernel_event(report, "cuda_event_cold", "FRX_KERNEL_COLD_US of each run, the median of them");
  json["event_speedup_x"] = number(report.speedup("cuda_event"), 3);
  json["kernel_speedup_x"] = report.ncu ? number(report.ncu->speedup, 3) : Json(nullptr);
  const auto [speedup, basis] = primary_speedup(report);
  json["primary_speedup_x"] = number(speedup, 3);
  json["primary_speedup_basis"] = speedup ? Json(basis) : Json(nullptr);
  json["verdict"] = verdict_json(report);
  json["outputs"] = {{"result", name_of(report.outputs)}, {"detail", text_or_null(report.outputs_words)}};
  json["environment"] = environment_json(bench);
  json["notes"] = report.notes;
  return json;
}

}  // namespace frx::compose
