#include "detect/detect.h"

#include <algorithm>

namespace frx::detect {
namespace {

using knowledge::LabelCatalogue;
using model::Finding;
using model::Metric;
using model::Verdict;

// Counters that ncu could collect and that would decide the condition. A derived metric stands for the operands
// of its formulas.
void collect_missing(const knowledge::Expression& expression, const knowledge::MetricCatalogue& metrics, const model::Readings& readings,
                     int depth, std::vector<std::string_view>& missing) {
  constexpr int max_depth = 3;
  for (const std::uint32_t slot : expression.slots()) {
    if (slot >= LabelCatalogue::first_class_slot) continue;
    const Metric metric{static_cast<std::uint16_t>(slot)};
    if (readings.has(metric)) continue;
    const knowledge::MetricDefinition& definition = metrics[metric];
    if (definition.collect && !definition.ncu.empty()) {
      const std::string_view counter = knowledge::counter_of(definition);
      if (std::ranges::find(missing, counter) == missing.end()) missing.push_back(counter);
    } else if (depth < max_depth && !metrics.formulas_of(metric).empty()) {
      collect_missing(metrics.formulas_of(metric).front(), metrics, readings, depth + 1, missing);
    }
  }
}

class Examination {
 public:
  Examination(const knowledge::MetricCatalogue& metrics, const Launches& launches) : metrics_(metrics), launches_(launches) {}

  std::optional<bool> holds(const knowledge::Label& label) const { return label.when.truth(lookup_); }

  void describe(const knowledge::Label& label, Finding& finding) const {
    finding.score = std::clamp(label.score.number(lookup_).value_or(0.5), 0.0, 1.0);
    finding.time_at_stake = label.time_at_stake.empty() ? std::nullopt : label.time_at_stake.number(lookup_);
    for (const knowledge::LabelEvidence& evidence : label.evidence) {
      const model::Reading* const reading = launches_.readings.find(evidence.metric);
      if (reading) finding.evidence.push_back({metrics_.named(evidence.metric, *reading), evidence.because});
    }
  }

  void list_missing(const knowledge::Label& label, Finding& finding) const {
    collect_missing(label.when, metrics_, launches_.readings, 0, finding.missing);
  }

 private:
  std::optional<double> value(std::uint32_t slot) const {
    if (slot >= LabelCatalogue::first_threshold_slot) return launches_.thresholds.of_slot(slot - LabelCatalogue::first_threshold_slot);
    if (slot >= LabelCatalogue::first_class_slot) {
      return (launches_.kernel_class >> (slot - LabelCatalogue::first_class_slot) & 1u) != 0 ? 1.0 : 0.0;
    }
    return launches_.readings.value(Metric{static_cast<std::uint16_t>(slot)});
  }

  const knowledge::MetricCatalogue& metrics_;
  const Launches& launches_;
  const knowledge::Lookup lookup_ = [this](std::uint32_t slot) { return value(slot); };
};

}  // namespace

std::vector<Finding> firing(const LabelCatalogue& labels, const knowledge::MetricCatalogue& metrics, const Launches& launches) {
  const Examination examination(metrics, launches);
  std::vector<Finding> findings;
  for (const knowledge::Label& label : labels.all()) {
    if (label.when.empty() || !examination.holds(label).value_or(false)) continue;
    findings.emplace_back().type = &label;
    examination.describe(label, findings.back());
  }
  return findings;
}

std::vector<Finding> examine(const LabelCatalogue& labels, const knowledge::MetricCatalogue& metrics, const Launches& launches) {
  const Examination examination(metrics, launches);
  std::vector<Finding> findings;
  for (const knowledge::Label& label : labels.all()) {
    if (label.when.empty()) continue;
    const std::optional<bool> holds = examination.holds(label);
    Finding& finding = findings.emplace_back();
    finding.type = &label;
    finding.verdict = !holds ? Verdict::cannot_tell : *holds ? Verdict::fires : Verdict::clear;
    if (finding.verdict == Verdict::fires) examination.describe(label, finding);
    if (finding.verdict == Verdict::cannot_tell) examination.list_missing(label, finding);
  }
  return findings;
}

}  // namespace frx::detect
