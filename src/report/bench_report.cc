#include "report/bench_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "base/units.h"

namespace frx::report {
namespace {

using derive::compare::Answer;
using model::Bench;
using model::BenchRun;
using model::BenchSide;

BenchTiming timing_of(std::vector<double> values) {
  std::ranges::sort(values);
  BenchTiming timing;
  timing.median = derive::compare::median_of_sorted(values);
  timing.min = values.front();
  timing.max = values.back();
  timing.runs = values.size();
  if (values.size() < 2) return timing;
  const double mean = std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  timing.stdev = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return timing;
}

// `time_of` gives a run's time; a clock that is missing in one run of a side is missing for that side.
template <typename TimeOf>
void take_times(BenchClock& clock, const Bench& bench, TimeOf time_of) {
  const std::array<const BenchSide*, 2> sides = {&bench.before, &bench.after};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (const BenchRun& run : sides[i]->runs) {
      if (const std::optional<double> time = time_of(run)) clock.values[i].push_back(*time);
    }
    if (clock.values[i].size() != sides[i]->runs.size()) clock.values[i].clear();
    if (!clock.values[i].empty()) clock.timing[i] = timing_of(clock.values[i]);
  }
}

std::optional<double> number_in(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// The difference of two words of a checksum, relative to their size; absent when they are not both numbers.
std::optional<double> apart(const std::string& first, const std::string& second) {
  const std::optional<double> a = number_in(first), b = number_in(second);
  if (!a || !b || !std::isfinite(*a) || !std::isfinite(*b)) return first == second ? std::optional(0.0) : std::nullopt;
  const double size = std::max(std::abs(*a), std::abs(*b));
  return size == 0 ? 0 : std::abs(*a - *b) / size;
}

// The largest difference of their words; infinite where they cannot be compared word by word.
double apart(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  if (first.size() != second.size()) return HUGE_VAL;
  double furthest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) furthest = std::max(furthest, apart(first[i], second[i]).value_or(HUGE_VAL));
  return furthest;
}

bool all_have_checksums(const BenchSide& side) {
  return !side.runs.empty() && std::ranges::none_of(side.runs, [](const BenchRun& run) { return run.checksum.empty(); });
}

double own_noise(const BenchSide& side) {
  double noise = 0;
  for (const BenchRun& run : side.runs) noise = std::max(noise, apart(run.checksum, side.runs.front().checksum));
  return noise;
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

// Atomics add in a different order each time: a side that differs from itself doubles the allowed difference.
void compare_outputs(const Bench& bench, double tolerance, BenchReport& report) {
  if (!all_have_checksums(bench.before) || !all_have_checksums(bench.after)) return;
  const std::string before = join(bench.before.runs.front().checksum, " "), after = join(bench.after.runs.front().checksum, " ");
  const double noise = std::max(own_noise(bench.before), own_noise(bench.after));
  const double distance = apart(bench.before.runs.front().checksum, bench.after.runs.front().checksum);
  const double allowed = std::max(tolerance, 2 * noise);
  report.outputs = distance <= tolerance ? BenchOutputs::same : distance > allowed ? BenchOutputs::differ : BenchOutputs::unstable;
  if (report.outputs == BenchOutputs::same) return;
  report.outputs_words = fmt::format("{} before, {} after", printable(before), printable(after));
  if (std::isfinite(distance)) report.outputs_words += fmt::format(": {} apart, {} is allowed", percent(distance), percent(allowed));
}

void add_clock_notes(const Bench& bench, BenchReport& report) {
  if (!report.basis) return;
  if (report.basis->key == "wall_clock") {
    report.notes.emplace_back(
        "the time of a process has its start, the context of CUDA and all copies in it; include frx_bench.cuh in both "
        "files to time the kernels (frx bench --emit-harness writes it)");
  }
  const std::optional<double> kernel = report.speedup("cuda_event"), wall = report.speedup("wall_clock");
  if (kernel && wall && *kernel >= 1.1 && *wall >= 0.9 && *wall <= 1.1)
    report.notes.push_back(
        fmt::format("the kernel got {:.2f}x as fast, the process did not: what surrounds the kernel decides its time", *kernel));
  const std::optional<double> cold = report.speedup("cuda_event_cold");
  if (kernel && cold && std::max(*kernel, *cold) > 1.1 * std::min(*kernel, *cold))
    report.notes.push_back(
        fmt::format("with a cold L2 cache the change is worth {:.2f}x, with a warm one {:.2f}x: the first holds where other "
                    "work runs before the kernel",
                    *cold, *kernel));
  if (!bench.gpu) return;
  if (bench.gpu->was_throttled) report.notes.emplace_back("the GPU was slowed down for heat or power; times of a cooler GPU may differ");
  const std::optional<double> first = bench.gpu->sm_clock_before_mhz, last = bench.gpu->sm_clock_after_mhz;
  if (first && last && *first > 0 && std::abs(*last / *first - 1) > 0.05) {
    report.notes.push_back(fmt::format(
        "the SM clock was {:.0f} MHz before and {:.0f} MHz after the runs; nvidia-smi --lock-gpu-clocks holds it", *first, *last));
  }
}

void add_output_notes(BenchReport& report) {
  switch (report.outputs) {
    case BenchOutputs::unknown:
      report.notes.emplace_back(
          "whether both compute the same was not checked: let both print a line FRX_CHECKSUM: NUMBERS "
          "(frx_checksum of frx_bench.cuh does)");
      break;
    case BenchOutputs::unstable:
      report.notes.push_back("the result of one side changes from run to run by as much as the sides differ: " + report.outputs_words);
      break;
    case BenchOutputs::same:
    case BenchOutputs::differ: break;
  }
}

}  // namespace

bool BenchReport::ran() const {
  for (const BenchSide* side : {&bench->before, &bench->after}) {
    if (side->runs.empty() || !side->run_error.empty()) return false;
  }
  return true;
}

std::optional<double> BenchReport::speedup(std::string_view clock) const {
  const auto at = std::ranges::find(clocks, clock, &BenchClock::key);
  if (at == clocks.end() || !at->timing[0] || !at->timing[1] || at->timing[1]->median <= 0) return std::nullopt;
  return at->timing[0]->median / at->timing[1]->median;
}

BenchReport judge_bench(const Bench& bench, const BenchOptions& options) {
  BenchReport report;
  report.bench = &bench;
  report.clocks = {{"wall_clock", "process", 1e6}, {"cuda_event", "kernel, warm L2", 1e3}, {"cuda_event_cold", "kernel, cold L2", 1e3}};
  take_times(report.clocks[0], bench, [](const BenchRun& run) { return std::optional(run.wall_ms); });
  take_times(report.clocks[1], bench, [](const BenchRun& run) { return run.kernel_us; });
  take_times(report.clocks[2], bench, [](const BenchRun& run) { return run.kernel_cold_us; });
  std::erase_if(report.clocks, [](const BenchClock& clock) { return clock.key != "wall_clock" && !clock.timing[0] && !clock.timing[1]; });
  for (BenchClock& clock : report.clocks) clock.judgement = derive::compare::judge(clock.values[0], clock.values[1], options.noise_floor);
  if (!report.ran()) return report;
  report.basis = &report.clocks[0];
  for (const BenchClock& clock : report.clocks) {
    if (clock.key == "cuda_event" && clock.is_of_both()) report.basis = &clock;
  }
  compare_outputs(bench, options.checksum_tolerance, report);
  if (report.outputs == BenchOutputs::differ) return report;  // its times are those of another computation
  report.answer = report.basis->judgement.answer;
  add_clock_notes(bench, report);
  add_output_notes(report);
  return report;
}

}  // namespace frx::report
