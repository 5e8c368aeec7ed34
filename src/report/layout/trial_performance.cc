// Gate 3: time and memory.

#include <algorithm>

#include "report/layout/trial_gates.h"

namespace frx::report {
namespace {

std::vector<double> joined(const std::vector<std::vector<double>>& runs) {
  std::vector<double> all;
  for (const std::vector<double>& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

// How much the medians of runs of one side differ, as a share of the smallest.
double noise_between(const std::vector<std::vector<double>>& runs) {
  double low = 0, high = 0;
  for (const std::vector<double>& run : runs) {
    if (run.empty()) continue;
    const double median = derive::compare::median_of(run);
    low = low == 0 ? median : std::min(low, median);
    high = std::max(high, median);
  }
  return low > 0 ? high / low - 1 : 0;
}

std::optional<double> peak_of(const TrialEvidence& evidence, bool of_candidate) {
  std::optional<double> peak;
  for (const TrialRun& run : evidence.runs) {
    if (run.is_candidate != of_candidate || run.is_profiled) continue;
    for (const TrialSide& side : run.ranks) {
      if (!side.peak_memory_bytes) return std::nullopt;
      peak = std::max(peak.value_or(0), *side.peak_memory_bytes);
    }
  }
  return peak;
}

std::optional<double> device_memory(const TrialEvidence& evidence) {
  for (const TrialRun& run : evidence.runs) {
    for (const TrialSide& side : run.ranks) {
      if (side.device_memory_bytes) return side.device_memory_bytes;
    }
  }
  return std::nullopt;
}

// True when the gate is decided by it.
bool judge_memory(Gate& gate, const TrialEvidence& evidence, const knowledge::TrialRules& rules) {
  const std::optional<double> before = peak_of(evidence, false), after = peak_of(evidence, true), device = device_memory(evidence);
  if (!before || !after || !device) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = "the peak of memory, or the memory of the device, is not known";
    return true;
  }
  gate.numbers.push_back({"peak memory without the change", before, {}, "bytes"});
  gate.numbers.push_back({"peak memory with the change", after, *before * (1 + rules.memory_more), "bytes"});
  gate.numbers.push_back({"peak memory of the device", 100 * *after / *device, 100 * rules.memory_of_device, "%"});
  if (*after > *before * (1 + rules.memory_more)) {
    gate.outcome = GateOutcome::failed;
    gate.why =
        fmt::format("the peak of memory is {:.1f} % higher, more than {:g} %", 100 * (*after / *before - 1), 100 * rules.memory_more);
    return true;
  }
  if (*after >= rules.memory_of_device * *device) {
    gate.outcome = GateOutcome::failed;
    gate.why =
        fmt::format("the peak of memory is {:.0f} % of the device, not below {:g} %", 100 * *after / *device, 100 * rules.memory_of_device);
    return true;
  }
  return false;
}

// `low` and `high`: of the gain of throughput, in percent.
void judge_gain(Gate& gate, double gain, double low, double high, double required) {
  const std::string interval = fmt::format("{:+.1f} % throughput (99 % interval {:+.1f} % to {:+.1f} %)", gain, low, high);
  if (low >= required) {
    gate.outcome = GateOutcome::passed;
    gate.why = fmt::format("{}, at least the {:.1f} % that are required", interval, required);
  } else if (high < required) {
    gate.outcome = GateOutcome::failed;
    gate.why = fmt::format("{}, less than the {:.1f} % that are required", interval, required);
  } else {
    gate.outcome = GateOutcome::undecided;
    gate.why = fmt::format("{}: whether it is the {:.1f} % that are required is open; more windows or blocks may tell", interval, required);
  }
}

}  // namespace

TrialTimes times_of(const TrialEvidence& evidence) {
  TrialTimes times;
  times.per_item = true;
  for (const TrialRun& run : evidence.runs) {
    if (run.ranks.empty()) continue;
    for (const TrialWindow& window : run.ranks.front().windows) times.per_item &= window.items.has_value();
  }
  for (const TrialRun& run : evidence.runs) {
    if (run.is_profiled || run.ranks.empty()) continue;
    std::vector<double>& own = (run.is_candidate ? times.candidate : times.baseline).emplace_back();
    const std::vector<TrialWindow>& windows = run.ranks.front().windows;
    for (std::size_t i = evidence.warmup; i < windows.size(); ++i) own.push_back(windows[i].ns / (times.per_item ? *windows[i].items : 1));
  }
  return times;
}

namespace {

std::string why_no_interval(std::size_t before, std::size_t after, const derive::compare::Judgement& judged,
                            const knowledge::TrialRules& rules) {
  if (std::min(before, after) < rules.fewest_windows)
    return fmt::format("{} and {} windows were measured, fewer than {} a side", before, after, rules.fewest_windows);
  return fmt::format(
      "{} and {} windows were measured, and their times drift so much that they are worth {:.1f} and {:.1f} independent ones: "
      "measure more (--windows, --blocks) on a machine that does nothing else",
      before, after, judged.first_effective, judged.second_effective);
}

}  // namespace

Gate performance_gate(const TrialEvidence& evidence, const knowledge::TrialRules& rules, const knowledge::LayoutPolicy& policy) {
  Gate gate{"throughput_memory", "Throughput and memory"};
  const TrialTimes times = times_of(evidence);
  const std::vector<double> before = joined(times.baseline), after = joined(times.candidate);
  if (judge_memory(gate, evidence, rules)) return gate;
  const derive::compare::Judgement judged = derive::compare::judge(before, after, 0);
  if (std::min(before.size(), after.size()) < rules.fewest_windows || !judged.low || !judged.high) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = why_no_interval(before.size(), after.size(), judged, rules);
    return gate;
  }
  const double noise = 100 * noise_between(times.baseline);
  const double required = std::max(policy.least_gain_pct, rules.times_noise * noise);
  const double gain = 100 * (1 / *judged.ratio - 1), low = 100 * (1 / *judged.high - 1), high = 100 * (1 / *judged.low - 1);
  const std::string unit = times.per_item ? "items/s" : "windows/s";
  gate.numbers.push_back({"throughput without the change", 1e9 / derive::compare::median_of(before), {}, unit});
  gate.numbers.push_back({"throughput with the change", 1e9 / derive::compare::median_of(after), {}, unit});
  gate.numbers.push_back({"gain of throughput", gain, required, "%"});
  gate.numbers.push_back({"gain, low end of the interval", low, required, "%"});
  gate.numbers.push_back({"gain, high end of the interval", high, {}, "%"});
  gate.numbers.push_back({"noise between runs of the baseline", noise, {}, "%"});
  judge_gain(gate, gain, low, high, required);
  return gate;
}

}  // namespace frx::report
