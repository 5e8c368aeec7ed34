#include "advise/advice.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "advise/kernel_circumstances.h"
#include "advise/kernel_filter.h"
#include "base/text.h"
#include "base/units.h"

namespace frx::advise {
namespace {

// Scores of diagnoses without a finding.
constexpr std::string_view inconclusive = "inconclusive";
constexpr double inconclusive_score = 0.6;
constexpr double insufficient_score = 1.0;
// A label that holds for less of the time than this is rated by its share of the whole alone.
constexpr double noticeable_share = 0.10;
// A speed-up above 11 is not a useful bound.
constexpr double largest_bound_pct = 1000;

// A bottleneck of the run and the kernel where it weighs most.
struct Case {
  std::string_view label;
  double score = 0;
  const model::Finding* finding = nullptr;  // of the run; none for "inconclusive"
  const diagnose::KernelDiagnosis* kernel = nullptr;
  std::unique_ptr<Circumstances> circumstances;
};

double weight(const diagnose::RunDiagnosis& run, const diagnose::KernelDiagnosis& kernel) {
  return run.duration ? kernel.duration.value_or(0) : static_cast<double>(kernel.launches);
}

// The kernel whose time the label explains most. For the leading label of the run it is one that the label leads, too.
const diagnose::KernelDiagnosis* kernel_behind(const diagnose::RunDiagnosis& run, std::string_view label) {
  const diagnose::KernelDiagnosis* best = nullptr;
  double most = -1;
  for (const diagnose::KernelDiagnosis& kernel : run.kernels) {
    const model::Finding* finding = find_finding(kernel.findings, label);
    const bool leads = kernel.primary == label;
    if (!finding && !leads) continue;
    const double explained = weight(run, kernel) * (finding ? finding->score : 1) + (leads && label == run.primary ? 1e300 : 0);
    if (explained > most) {
      best = &kernel;
      most = explained;
    }
    if (leads && label == run.primary) break;  // kernels are sorted longest first
  }
  return best;
}

class Adviser {
 public:
  Adviser(const diagnose::RunDiagnosis& run, const Catalogue& catalogue, const knowledge::Knowledge& knowledge)
      : run_(run), catalogue_(catalogue), knowledge_(knowledge) {}

  Advice advise() {
    collect_cases();
    std::vector<Diagnosed> diagnosed;
    for (const Case& c : cases_) diagnosed.push_back({c.label, c.score, c.circumstances.get(), local_score(c)});
    Proposals proposals = propose(catalogue_, diagnosed);
    if (proposals.proposals.empty()) proposals = propose_collecting();
    Advice advice;
    for (const Proposal& proposal : proposals.proposals) advice.recommendations.push_back(recommendation(proposal));
    lead_with_an_answer(advice.recommendations);
    advice.bundles = std::move(proposals.bundles);
    advice.withheld = std::move(proposals.withheld);
    advice.validation_command = command(advice.recommendations);
    return advice;
  }

 private:
  // The best card may answer something else than what was found to lead; what answers that comes first.
  void lead_with_an_answer(std::vector<Recommendation>& all) const {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Recommendation& r) { return r.label == run_.primary; });
    if (at != all.end()) std::rotate(all.begin(), at, at + 1);
  }

  void collect_cases() {
    for (const model::Finding& finding : run_.findings) add_case(finding.id(), finding.score, &finding);
    if (find_finding(run_.findings, run_.primary)) return;
    add_case(run_.primary, run_.primary == inconclusive ? inconclusive_score : insufficient_score, nullptr);
  }

  void add_case(std::string_view label, double score, const model::Finding* finding) {
    Case c{label, score, finding, kernel_behind(run_, label), {}};
    if (c.kernel) {
      c.circumstances = std::make_unique<KernelCircumstances>(run_, *c.kernel, label, catalogue_.names());
    } else {
      c.circumstances = std::make_unique<UnknownCircumstances>(Domain::kernel);
    }
    cases_.push_back(std::move(c));
  }

  static double local_score(const Case& c) {
    const model::Finding* there = c.kernel ? find_finding(c.kernel->findings, c.label) : nullptr;
    return there && c.finding && c.finding->time_share >= noticeable_share ? there->score : 0;
  }

  // No label that holds is strong enough for advice: these collect more evidence.
  Proposals propose_collecting() {
    cases_.clear();
    if (run_.kernels.empty()) return {};
    cases_.push_back(
        {inconclusive, inconclusive_score, nullptr, &run_.kernels.front(), std::make_unique<UnknownCircumstances>(Domain::kernel)});
    const Diagnosed diagnosed{inconclusive, inconclusive_score, cases_[0].circumstances.get(), 0};
    return propose(catalogue_, {&diagnosed, 1});
  }

  Recommendation recommendation(const Proposal& proposal) const {
    const Card& card = *proposal.card;
    const Case& c = cases_[proposal.diagnosed];
    Recommendation r = described(proposal);
    r.label = c.label;
    if (c.kernel) r.kernel = c.kernel->kernel->name;
    for (const Step& step : card.steps) r.validation_steps.push_back(validation_step(step, c.kernel));
    if (c.kernel) {
      for (const Prediction& prediction : card.predictions) r.predictions.push_back(forecast(prediction, *c.kernel));
    }
    estimate(r, card, *proposal.rule, c);
    return r;
  }

  ValidationStep validation_step(const Step& step, const diagnose::KernelDiagnosis* kernel) const {
    ValidationStep result{step.metric, step.reading, step.label, step.direction, step.threshold_good, step.expected, {}, {}};
    result.unit = knowledge_.metrics[step.reading].unit_text;
    if (kernel) result.current_value = kernel->readings.value(step.reading);
    return result;
  }

  static Forecast forecast(const Prediction& prediction, const diagnose::KernelDiagnosis& kernel) {
    Forecast result{&prediction, {}, {}};
    const model::Reading* reading = kernel.readings.find(prediction.reading);
    if (!reading) return result;
    result.now = value_to_compare(prediction, *reading, kernel.launches);
    result.bound = bound_for(prediction, *result.now);
    return result;
  }

  // A table has the usual gain of such changes; the file bounds the possible gain.
  void estimate(Recommendation& r, const Card& card, const Rule& rule, const Case& c) const {
    if (card.speedup_pct) {
      r.estimated_speedup_pct_min = card.speedup_pct->first;
      r.estimated_speedup_pct_max = card.speedup_pct->second;
    }
    if (!c.finding || !run_.duration || *run_.duration <= 0) return;
    if (rule.cuts_work) {
      // Fewer bytes or instructions: bounded by the share of the run, not by the distance to the roof.
      if (c.finding->time_share < 1) r.time_at_stake_ns = *run_.duration * c.finding->time_share;
    } else {
      r.time_at_stake_ns = c.finding->time_at_stake;
    }
    if (!r.time_at_stake_ns) return;
    const std::optional<double> bound = speedup_bound_pct(*run_.duration, *r.time_at_stake_ns);
    if (bound && *bound <= largest_bound_pct) r.speedup_bound_pct = std::round(*bound * 100) / 100;
    cap(r);
  }

  // Above the bound the table is wrong. When even its lower end is, only the bound is reported.
  static void cap(Recommendation& r) {
    if (!r.speedup_bound_pct || !r.estimated_speedup_pct_max || *r.estimated_speedup_pct_max <= *r.speedup_bound_pct) return;
    const double bound = *r.speedup_bound_pct;
    r.notes.push_back(
        fmt::format("such changes usually give {} to {} %; what is at stake in this file bounds the speed-up of the run at {} %",
                    format_number(*r.estimated_speedup_pct_min), format_number(*r.estimated_speedup_pct_max), format_number(bound)));
    if (*r.estimated_speedup_pct_min > bound) r.estimated_speedup_pct_min = 0;
    r.estimated_speedup_pct_max = bound;
  }

  std::string command(const std::vector<Recommendation>& recommendations) const {
    const std::vector<std::string> counters = counters_to_validate(recommendations);
    std::vector<std::string_view> kernels;
    for (const Recommendation& r : recommendations) {
      if (!r.validation_steps.empty() && !r.kernel.empty()) kernels.push_back(r.kernel);
    }
    if (counters.empty()) return {};
    std::string line = "ncu --csv --log-file report.csv --metrics " + shell_quote(join(counters, ","));
    const std::string filter = run_.kernels.size() > 1 ? kernel_filter(kernels) : std::string();
    if (!filter.empty()) line += " --kernel-name " + shell_quote(filter);
    return line + " ./your_app";
  }

  const diagnose::RunDiagnosis& run_;
  const Catalogue& catalogue_;
  const knowledge::Knowledge& knowledge_;
  std::vector<Case> cases_;
};

void reword(Recommendation& r, const Wording& wording) {
  if (!wording.title.empty()) r.title = wording.title;
  if (!wording.why.empty()) r.why = wording.why;
  if (!wording.actions.empty()) r.actions = wording.actions;
  if (!wording.validation.empty()) r.validation = wording.validation;
  if (!wording.caveats.empty()) r.risks = wording.caveats;
}

}  // namespace

std::vector<std::string> counters_to_validate(std::span<const Recommendation> recommendations) {
  std::vector<std::string> counters;
  const auto add = [&](std::string_view counter) {
    if (!counter.empty() && std::ranges::find(counters, counter) == counters.end()) counters.emplace_back(counter);
  };
  for (const Recommendation& r : recommendations) {
    for (const ValidationStep& step : r.validation_steps) add(step.metric);
  }
  for (const Recommendation& r : recommendations) {
    for (const Forecast& forecast : r.predictions) add(forecast.prediction->counter);
  }
  return counters;
}

Advice advice_for(const Catalogue& catalogue, std::span<const Diagnosed> diagnosed) {
  Proposals proposals = propose(catalogue, diagnosed);
  Advice advice;
  for (const Proposal& proposal : proposals.proposals) {
    Recommendation r = described(proposal);
    r.label = diagnosed[proposal.diagnosed].label;
    advice.recommendations.push_back(std::move(r));
  }
  advice.bundles = std::move(proposals.bundles);
  advice.withheld = std::move(proposals.withheld);
  return advice;
}

Recommendation described(const Proposal& proposal) {
  const Card& card = *proposal.card;
  Recommendation r;
  r.id = card.id;
  r.title = card.title;
  r.priority = proposal.priority;
  r.score = r.roi_score = proposal.score;
  r.tier = proposal.tier;
  r.confidence = proposal.components.confidence;
  r.expected_impact = card.impact;
  r.effort = card.effort;
  r.risk = proposal.risk;
  r.category = card.category;
  r.why = card.why;
  r.because = proposal.rule->explanation;
  r.why_ranked = proposal.why_ranked;
  r.roi_components = proposal.components;
  r.guardrails_applied = proposal.guardrails;
  r.prerequisites = card.prerequisites;
  r.actions = card.actions;
  r.validation = card.validation;
  r.risks = card.caveats;
  r.triggered_by = proposal.rule->id;
  if (proposal.wording) reword(r, *proposal.wording);
  return r;
}

std::optional<double> speedup_bound_pct(double total, double at_stake) {
  if (total <= 0 || at_stake < 0 || at_stake >= total) return std::nullopt;
  return 100 * (total / (total - at_stake) - 1);
}

Result<Advice> advise(const diagnose::RunDiagnosis& run, const Catalogue& catalogue, const knowledge::Knowledge& knowledge) {
  return Adviser(run, catalogue, knowledge).advise();
}

}  // namespace frx::advise
