#include "detect/detect.h"

#include <algorithm>

namespace frx::detect {
namespace {

using knowledge::LabelCatalogue;
using model::Metric;

// Metrics ncu could collect that would decide the condition. A derived metric stands for the operands
// of its formulas.
void collect_missing(const knowledge::Expression& expression, const knowledge::MetricCatalogue& metrics, const model::Readings& readings,
                     int depth, std::vector<Metric>& missing) {
  constexpr int max_depth = 3;
  for (const std::uint32_t slot : expression.slots()) {
    if (slot >= LabelCatalogue::first_class_slot) continue;
    const Metric metric{static_cast<std::uint16_t>(slot)};
    if (readings.has(metric)) continue;
    const knowledge::MetricDefinition& definition = metrics[metric];
    if (definition.collect && !definition.ncu.empty()) {
      if (std::find(missing.begin(), missing.end(), metric) == missing.end()) missing.push_back(metric);
    } else if (depth < max_depth && !definition.formulas.empty()) {
      collect_missing(definition.formulas.front(), metrics, readings, depth + 1, missing);
    }
  }
}

}  // namespace

std::vector<Verdict> examine(const knowledge::LabelCatalogue& labels, const knowledge::MetricCatalogue& metrics,
                             const model::Readings& readings, std::uint64_t kernel_class, const knowledge::Thresholds& thresholds) {
  const knowledge::Lookup lookup = [&](std::uint32_t slot) -> std::optional<double> {
    if (slot >= LabelCatalogue::first_threshold_slot) return thresholds.of_slot(slot - LabelCatalogue::first_threshold_slot);
    if (slot >= LabelCatalogue::first_class_slot) {
      return (kernel_class >> (slot - LabelCatalogue::first_class_slot) & 1u) != 0 ? 1.0 : 0.0;
    }
    return readings.value(Metric{static_cast<std::uint16_t>(slot)});
  };
  std::vector<Verdict> verdicts;
  for (const knowledge::Label& label : labels.all()) {
    if (label.when.empty()) continue;
    Verdict& verdict = verdicts.emplace_back();
    verdict.label = &label;
    const std::optional<bool> holds = label.when.truth(lookup);
    if (!holds) {
      CannotTell unknown;
      collect_missing(label.when, metrics, readings, 0, unknown.missing);
      verdict.answer = std::move(unknown);
    } else if (!*holds) {
      verdict.answer = Clear{};
    } else {
      Fires fires;
      fires.score = std::clamp(label.score.number(lookup).value_or(0.5), 0.0, 1.0);
      fires.time_at_stake = label.time_at_stake.empty() ? std::nullopt : label.time_at_stake.number(lookup);
      for (const knowledge::LabelEvidence& evidence : label.evidence) {
        if (const model::Reading* reading = readings.find(evidence.metric)) {
          fires.evidence.push_back({evidence.metric, *reading, evidence.because});
        }
      }
      verdict.answer = std::move(fires);
    }
  }
  return verdicts;
}

}  // namespace frx::detect
