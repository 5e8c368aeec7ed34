#include <algorithm>

#include "compose/payloads.h"

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

void put_timing(JsonObject& out, const BenchReport& report, const std::optional<BenchTiming>& timing) {
  const auto value = [&](double BenchTiming::*member) { return timing ? std::optional((*timing).*member) : std::nullopt; };
  out.add("median_ms", value(&BenchTiming::median), "min_ms", value(&BenchTiming::min), "max_ms", value(&BenchTiming::max), "stdev_ms",
          value(&BenchTiming::stdev), "runs", timing ? std::optional(timing->runs) : std::nullopt, "warmup",
          when(timing.has_value(), report.bench->warmup));
}

// The documented object has the times in itself; the ones of the older shape stand under `timing`.
void put_side(JsonObject& out, const BenchReport& report, const BenchSide& side, std::size_t which) {
  const BenchClock& wall = report.clocks.front();
  out.add("src", side.source, "compile_ms", rounded(side.compile_ms, 1));
  put_timing(out, report, wall.timing[which]);
  out.object("timing", wall.timing[which], [&](JsonObject& inner, const auto& timing) { put_timing(inner, report, timing); });
  out.add("samples_ms", wall.values[which]);
  for (const auto& [key, clock] : {std::pair("kernel_us", "cuda_event"), std::pair("kernel_cold_us", "cuda_event_cold")}) {
    const BenchClock* found = clock_named(report, clock);
    out.add(key, found ? std::optional(found->values[which]) : std::nullopt);
  }
  out.add("run_error", unless_empty(side.run_error));
}

void put_compile_errors(JsonObject& out, const Bench& bench) {
  std::vector<std::pair<std::string_view, const BenchSide*>> failed;
  for (const auto& [name, side] : {std::pair("before", &bench.before), std::pair("after", &bench.after)}) {
    if (!side->compile_error.empty()) failed.emplace_back(name, side);
  }
  out.list("compile_errors", failed, [](JsonObject& inner, const auto& one) {
    inner.add("side", one.first, "src", one.second->source, "error", one.second->compile_error);
  });
}

void put_kernel_event(JsonObject& out, const BenchReport& report, std::string_view key, std::string_view source) {
  const BenchClock* clock = clock_named(report, key);
  const auto median = [&](std::size_t which) {
    return clock && clock->timing[which] ? std::optional(clock->timing[which]->median) : std::nullopt;
  };
  out.add("available", clock && clock->is_of_both(), "baseline_us", rounded(median(0), 3), "optimized_us", rounded(median(1), 3),
          "speedup_x", rounded(clock ? report.speedup(key) : std::nullopt, 3), "source", source);
}

void put_bench_verdict(JsonObject& out, const BenchReport& report) {
  using derive::compare::Judgement;
  const auto value = [&](std::optional<double> Judgement::*member) {
    return report.basis ? report.basis->judgement.*member : std::nullopt;
  };
  out.add("answer", derive::compare::name_of(report.answer), "basis", report.basis ? std::optional(report.basis->key) : std::nullopt,
          "time_ratio", value(&Judgement::ratio), "time_ratio_low", value(&Judgement::low), "time_ratio_high", value(&Judgement::high),
          "confidence_level", 0.99);
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

void put_environment(JsonObject& out, const Bench& bench) {
  out.add("compiler", bench.compiler);
  if (!bench.gpu) return out.add("gpu", nullptr, "driver", nullptr);
  out.add("gpu", bench.gpu->name, "driver", unless_empty(bench.gpu->driver), "sm_clock_before_mhz",
          rounded(bench.gpu->sm_clock_before_mhz, 0), "sm_clock_after_mhz", rounded(bench.gpu->sm_clock_after_mhz, 0),
          "temperature_before_c", rounded(bench.gpu->temperature_before_c, 0), "temperature_after_c",
          rounded(bench.gpu->temperature_after_c, 0), "throttled", bench.gpu->was_throttled);
}

// Kernel times before those of processes.
std::pair<std::optional<double>, std::string_view> primary_speedup(const BenchReport& report) {
  if (const std::optional<double> event = report.speedup("cuda_event")) return {event, "cuda_event"};
  if (report.ncu && report.ncu->speedup) return {report.ncu->speedup, "kernel_gpu_time"};
  return {report.speedup("wall_clock"), "wall_clock"};
}

}  // namespace

void put_bench(JsonObject& out, const BenchReport& report) {
  const Bench& bench = *report.bench;
  const auto [speedup, basis] = primary_speedup(report);
  out.add("schema", "frx_bench_v0", "arch", unless_empty(bench.architecture));
  out.object("before", [&](JsonObject& inner) { put_side(inner, report, bench.before, 0); });
  out.object("after", [&](JsonObject& inner) { put_side(inner, report, bench.after, 1); });
  out.add("speedup_x", rounded(report.speedup("wall_clock"), 3));
  out.object("ncu_diff", report.ncu, [](JsonObject& inner, const report::NcuComparison& ncu) { put_ncu_comparison(inner, ncu); });
  out.add("ncu_error", unless_empty(report.ncu_trouble));
  put_compile_errors(out, bench);
  out.object("kernel_event",
             [&](JsonObject& inner) { put_kernel_event(inner, report, "cuda_event", "FRX_KERNEL_US of each run, the median of them"); });
  out.object("kernel_event_cold", [&](JsonObject& inner) {
    put_kernel_event(inner, report, "cuda_event_cold", "FRX_KERNEL_COLD_US of each run, the median of them");
  });
  out.add("event_speedup_x", rounded(report.speedup("cuda_event"), 3), "kernel_speedup_x",
          rounded(report.ncu ? report.ncu->speedup : std::nullopt, 3), "primary_speedup_x", rounded(speedup, 3), "primary_speedup_basis",
          when(speedup.has_value(), basis));
  out.object("verdict", [&](JsonObject& inner) { put_bench_verdict(inner, report); });
  out.object("outputs",
             [&](JsonObject& inner) { inner.add("result", name_of(report.outputs), "detail", unless_empty(report.outputs_words)); });
  out.object("environment", [&](JsonObject& inner) { put_environment(inner, bench); });
  out.add("notes", report.notes);
}

}  // namespace frx::compose
