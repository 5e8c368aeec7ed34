#include "diagnose/training.h"

#include <algorithm>
#include <cmath>

namespace frx::diagnose {
namespace {

using knowledge::RunLabel;
using knowledge::RunLabels;
using model::Finding;
using model::FindingKind;
using model::Verdict;

// From docs/contract.md.
constexpr double high_confidence = 0.75, medium_confidence = 0.40;
// An extension of docs/contract.md: a result from one or two steps, or from a recording without steps, is not "high".
constexpr std::size_t few_steps = 3;
constexpr double cap_for_few_steps = 0.74, cap_without_steps = 0.60;

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

// Losses of time first, then states, then risks: a GPU that is kept busy has no problem yet. Then by score.
int rank_of(const Finding& finding) { return finding.type->is_risk ? 2 : finding.type->kind == FindingKind::state ? 1 : 0; }

// By how much the first leads over the next of its kind.
double lead_of(const std::vector<Finding>& findings) {
  const bool has_rival = findings.size() > 1 && rank_of(findings[1]) == rank_of(findings[0]);
  return findings[0].score - (has_rival ? findings[1].score : 0);
}

double points(const std::vector<Finding>& findings, std::string_view stall, bool agrees) {
  const double gap = lead_of(findings);
  double value = findings.front().score;
  if (findings.size() == 1) value += 0.15;
  value += gap >= 0.25 ? 0.15 : gap >= 0.10 ? 0.10 : gap > 0 ? 0.05 : 0;
  if (agrees)
    value += 0.10;
  else if (stall != "unknown" && stall != "compute_bound")
    value -= 0.05;
  return std::clamp(value, 0.0, 1.0);
}

std::string reason(const std::vector<Finding>& findings, bool agrees) {
  if (findings.size() == 1) return "the only bottleneck that holds";
  const double gap = lead_of(findings);
  if (agrees) return fmt::format("leads by {:.4f} and agrees with the dominant stall", gap);
  return fmt::format("leads by {:.4f}, but other signals remain", gap);
}

// `agrees`: the dominant stall is that of the leading bottleneck.
void judge_confidence(TrainingDiagnosis& diagnosis, const RunSample& sample, bool agrees) {
  if (diagnosis.findings.empty()) {
    diagnosis.confidence_level = "low";
    diagnosis.confidence_reason = "no bottleneck was found";
    return;
  }
  diagnosis.confidence = points(diagnosis.findings, diagnosis.dominant_stall, agrees);
  diagnosis.confidence_reason = reason(diagnosis.findings, agrees);
  const auto cap = [&](double limit, std::string_view why) {
    if (diagnosis.confidence <= limit) return;
    diagnosis.confidence = limit;
    diagnosis.confidence_reason += fmt::format("; {}", why);
  };
  if (!sample.has_boundaries) cap(cap_without_steps, "the recording has no step boundaries");
  if (sample.steps < few_steps) cap(cap_for_few_steps, sample.steps == 1 ? "one step only" : "two steps only");
  if (sample.clock_broken) cap(medium_confidence - 0.01, "the recording lost its clock");
  if (diagnosis.primary == "insufficient_telemetry") cap(medium_confidence - 0.01, "that nothing was recorded says nothing about the run");
  diagnosis.confidence = rounded(diagnosis.confidence);
  diagnosis.confidence_level = diagnosis.confidence >= high_confidence     ? "high"
                               : diagnosis.confidence >= medium_confidence ? "medium"
                                                                           : "low";
}

// What explains the symptom. Where idle time of the GPU was attributed it is the cause that takes the largest part of it; without that,
// the first of those in docs/contract.md.
std::string cause_behind(const TrainingDiagnosis& diagnosis, bool is_timed, const knowledge::Lookup& lookup) {
  constexpr std::string_view causes[] = {"input_bound", "copy_bound", "sync_bound", "launch_bound", "communication_bound", "host_bound"};
  if (!is_timed) {
    for (const std::string_view cause : causes) {
      if (diagnosis.with_id(cause)) return std::string(cause);
    }
    return diagnosis.primary;
  }
  // What nothing recorded explains is larger than any cause, or it is not.
  std::string_view largest = diagnosis.primary;
  double most = static_cast<const RunLabel&>(*diagnosis.findings.front().type).lost.number(lookup).value_or(0);
  for (const Finding& finding : diagnosis.findings) {
    if (finding.type->kind != FindingKind::cause || finding.type->is_risk) continue;
    const auto& label = static_cast<const RunLabel&>(*finding.type);
    const double lost = label.lost.empty() ? finding.score : label.lost.number(lookup).value_or(finding.score);
    if (lost <= most) continue;
    most = lost;
    largest = finding.id();
  }
  return std::string(largest);
}

void put_in_words(TrainingDiagnosis& diagnosis, bool agrees) {
  if (diagnosis.findings.empty()) return;
  const Finding* cause = diagnosis.with_id(diagnosis.user_facing);
  diagnosis.why.emplace_back(diagnosis.findings.front().message.view());
  if (cause && cause != &diagnosis.findings.front()) diagnosis.why.emplace_back(cause->message.view());
  const std::string_view stall = diagnosis.dominant_stall;
  if (stall == "compute_bound") {
    diagnosis.why.push_back("No wait that was recorded (for a loader, copies, the GPU or other ranks) takes a notable part of the step.");
  } else if (stall != "unknown") {
    diagnosis.why.push_back(fmt::format("The dominant stall is {}.", stall));
  }
  for (std::size_t i = 1; i < std::min<std::size_t>(3, diagnosis.findings.size()); ++i) {
    const Finding& other = diagnosis.findings[i];
    const std::string_view as = other.type->is_risk ? "as a risk, not as what takes time" : "with a lower score";
    diagnosis.why_not_others.push_back(fmt::format("{} holds too, {} ({:.3f})", other.id(), as, other.score));
  }
  if (stall != "unknown" && stall != "compute_bound" && !agrees && diagnosis.why_not_others.size() < 3) {
    diagnosis.why_not_others.push_back(fmt::format("the dominant stall is {}, which is not the leading bottleneck", stall));
  }
}

Finding finding_of(const RunLabel& label, const model::RunFacts& facts, const knowledge::Lookup& lookup) {
  const std::optional<bool> holds = label.when.truth(lookup);
  const std::optional<double> score = label.score.number(lookup);
  Finding finding;
  finding.type = &label;
  if (!holds || (*holds && !score)) {
    finding.verdict = Verdict::cannot_tell;
    finding.missing.push_back(label.missing);
  } else if (!*holds) {
    finding.verdict = Verdict::clear;
  } else {
    finding.score = rounded(*score);
    const bool is_timed = facts[model::RunFact::gpu_busy_fraction].has_value();
    finding.message = knowledge::filled(is_timed ? label.why_timed : label.why, facts);
    for (const auto& [key, fact] : label.evidence) {
      model::Evidence& evidence = finding.evidence.emplace_back();
      evidence.value.id = key;
      evidence.value.unit = model::run_fact_names[static_cast<std::size_t>(fact)].unit;
      evidence.is_known = facts[fact].has_value();
      evidence.value.reading.value = facts[fact].value_or(0);
      evidence.value.reading.origin = model::Origin::derived;
    }
  }
  return finding;
}

}  // namespace

TrainingDiagnosis diagnose_run(const RunLabels& labels, const model::RunFacts& facts, std::string dominant_stall, const RunSample& sample) {
  TrainingDiagnosis diagnosis;
  diagnosis.dominant_stall = std::move(dominant_stall);
  diagnosis.thresholds_source = labels.thresholds().source();
  diagnosis.thresholds_hash = labels.thresholds().hash();
  const knowledge::Lookup lookup = labels.lookup(facts);
  for (const RunLabel& label : labels.all()) {
    Finding finding = finding_of(label, facts, lookup);
    (finding.fires() ? diagnosis.findings : diagnosis.others).push_back(std::move(finding));
  }
  std::ranges::stable_sort(diagnosis.findings, [](const Finding& a, const Finding& b) {
    return rank_of(a) != rank_of(b) ? rank_of(a) < rank_of(b) : a.score > b.score;
  });
  const Finding* const first = diagnosis.findings.empty() ? nullptr : &diagnosis.findings.front();
  if (first) {
    diagnosis.primary = first->id();
  } else if (facts[model::RunFact::profiler_windows]) {
    diagnosis.primary = "inconclusive";
  }
  const bool is_symptom = first && first->type->kind == FindingKind::symptom;
  diagnosis.user_facing =
      is_symptom ? cause_behind(diagnosis, facts[model::RunFact::gpu_busy_fraction].has_value(), lookup) : diagnosis.primary;
  const bool agrees = first && diagnosis.dominant_stall == labels.with_id(first->id())->stall;
  judge_confidence(diagnosis, sample, agrees);
  put_in_words(diagnosis, agrees);
  return diagnosis;
}

}  // namespace frx::diagnose
