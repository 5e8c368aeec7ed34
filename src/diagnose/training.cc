#include "diagnose/training.h"

#include <algorithm>
#include <cmath>

namespace frx::diagnose {
namespace {

using knowledge::LabelKind;
using knowledge::RunLabel;

// From docs/contract.md.
constexpr double high_confidence = 0.75, medium_confidence = 0.40;
// An extension of docs/contract.md: a result from one or two steps, or from a recording without steps, is not "high".
constexpr std::size_t few_steps = 3;
constexpr double cap_for_few_steps = 0.74, cap_without_steps = 0.60;

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

// Losses of time first, then states, then risks: a GPU that is kept busy has no problem yet. Then by score.
int rank_of(const RunLabel& label) { return label.is_risk ? 2 : label.kind == LabelKind::state ? 1 : 0; }

// By how much the first leads over the next of its kind.
double lead_of(const std::vector<RunFinding>& findings) {
  const bool has_rival = findings.size() > 1 && rank_of(*findings[1].label) == rank_of(*findings[0].label);
  return findings[0].score - (has_rival ? findings[1].score : 0);
}

double points(const std::vector<RunFinding>& findings, std::string_view stall) {
  const RunFinding& top = findings.front();
  const double gap = lead_of(findings);
  double value = top.score;
  if (findings.size() == 1) value += 0.15;
  value += gap >= 0.25 ? 0.15 : gap >= 0.10 ? 0.10 : gap > 0 ? 0.05 : 0;
  if (stall == top.label->stall)
    value += 0.10;
  else if (stall != "unknown" && stall != "compute_bound")
    value -= 0.05;
  return std::clamp(value, 0.0, 1.0);
}

std::string reason(const std::vector<RunFinding>& findings, std::string_view stall) {
  const RunFinding& top = findings.front();
  if (findings.size() == 1) return "the only bottleneck that holds";
  const double gap = lead_of(findings);
  if (stall == top.label->stall) return fmt::format("leads by {:.4f} and agrees with the dominant stall", gap);
  return fmt::format("leads by {:.4f}, but other signals remain", gap);
}

void judge_confidence(TrainingDiagnosis& diagnosis, const RunSample& sample) {
  if (diagnosis.findings.empty()) {
    diagnosis.confidence_level = "low";
    diagnosis.confidence_reason = "no bottleneck was found";
    return;
  }
  diagnosis.confidence = points(diagnosis.findings, diagnosis.dominant_stall);
  diagnosis.confidence_reason = reason(diagnosis.findings, diagnosis.dominant_stall);
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

// The first of the causes of a symptom in docs/contract.md, further ones after them.
std::string cause_behind(const TrainingDiagnosis& diagnosis) {
  constexpr std::string_view causes[] = {"input_bound", "copy_bound", "sync_bound", "launch_bound", "communication_bound", "host_bound"};
  for (const std::string_view cause : causes) {
    if (diagnosis.with_id(cause)) return std::string(cause);
  }
  return diagnosis.primary;
}

void put_in_words(TrainingDiagnosis& diagnosis, const model::RunFacts& facts) {
  if (diagnosis.findings.empty()) return;
  const RunFinding* cause = diagnosis.with_id(diagnosis.user_facing);
  const bool timed = facts[model::RunFact::gpu_busy_fraction].has_value();
  const auto why = [&](const RunLabel& label) { return knowledge::filled(timed ? label.why_timed : label.why, facts); };
  diagnosis.why.push_back(why(*diagnosis.findings.front().label));
  if (cause && cause != &diagnosis.findings.front()) diagnosis.why.push_back(why(*cause->label));
  if (diagnosis.dominant_stall == "compute_bound") {
    diagnosis.why.push_back("No wait that was recorded (for a loader, copies, the GPU or other ranks) takes a notable part of the step.");
  } else if (diagnosis.dominant_stall != "unknown") {
    diagnosis.why.push_back(fmt::format("The dominant stall is {}.", diagnosis.dominant_stall));
  }
  for (std::size_t i = 1; i < std::min<std::size_t>(3, diagnosis.findings.size()); ++i) {
    const RunFinding& other = diagnosis.findings[i];
    const std::string_view as = other.label->is_risk ? "as a risk, not as what takes time" : "with a lower score";
    diagnosis.why_not_others.push_back(fmt::format("{} holds too, {} ({:.3f})", other.label->id, as, other.score));
  }
  const std::string_view stall = diagnosis.dominant_stall;
  if (stall != "unknown" && stall != "compute_bound" && stall != diagnosis.findings.front().label->stall &&
      diagnosis.why_not_others.size() < 3) {
    diagnosis.why_not_others.push_back(fmt::format("the dominant stall is {}, which is not the leading bottleneck", stall));
  }
}

}  // namespace

const RunFinding* TrainingDiagnosis::with_id(std::string_view id) const {
  const auto at = std::ranges::find_if(findings, [&](const RunFinding& finding) { return finding.label->id == id; });
  return at == findings.end() ? nullptr : &*at;
}

TrainingDiagnosis diagnose_run(const knowledge::RunLabels& labels, const model::RunFacts& facts, std::string dominant_stall,
                               const RunSample& sample) {
  TrainingDiagnosis diagnosis;
  diagnosis.dominant_stall = std::move(dominant_stall);
  diagnosis.thresholds_source = labels.thresholds().source();
  diagnosis.thresholds_hash = labels.thresholds().hash();
  const knowledge::Lookup lookup = labels.lookup(facts);
  for (const RunLabel& label : labels.all()) {
    const std::optional<bool> holds = label.when.truth(lookup);
    const std::optional<double> score = label.score.number(lookup);
    if (!holds || (*holds && !score)) {
      diagnosis.cannot_tell.push_back(&label);
    } else if (*holds) {
      diagnosis.findings.push_back({&label, rounded(*score), {}});
    }
  }
  std::ranges::stable_sort(diagnosis.findings, [](const RunFinding& a, const RunFinding& b) {
    const int rank_a = rank_of(*a.label), rank_b = rank_of(*b.label);
    return rank_a != rank_b ? rank_a < rank_b : a.score > b.score;
  });
  if (!diagnosis.findings.empty()) {
    diagnosis.primary = diagnosis.findings.front().label->id;
  } else if (facts[model::RunFact::profiler_windows]) {
    diagnosis.primary = "inconclusive";
  }
  const bool is_symptom = !diagnosis.findings.empty() && diagnosis.findings.front().label->kind == LabelKind::symptom;
  diagnosis.user_facing = is_symptom ? cause_behind(diagnosis) : diagnosis.primary;
  judge_confidence(diagnosis, sample);
  put_in_words(diagnosis, facts);
  return diagnosis;
}

}  // namespace frx::diagnose
