// Gate 1: outputs and losses.

#include <algorithm>
#include <cmath>

#include "report/layout/trial_gates.h"

namespace frx::report {
namespace {

// Over the outputs of all candidates, the one that is worst; and how far two runs of the baseline are apart.
struct Worst {
  std::uint64_t compared = 0, newly_not_finite = 0;
  double share_within = 1, times_tolerance = 0, difference = 0;
  double share_of_largest = 0, share_allowed = 0;  // of the tensor that holds by its largest value alone, and is furthest off
  double self_noise = 0;                           // largest difference between runs of the baseline
  double relative_noise = 0;                       // of the largest value of its tensor
  std::string mismatch, outside;                   // the first tensor that cannot be compared, or does not hold, in words
};

bool within_tolerance(const OutputDifference& one, const knowledge::TrialRules& rules) {
  return one.share_within() >= rules.share_within && one.largest_times_tolerance <= rules.times_tolerance;
}

// The largest difference that two runs of the baseline have in the tensor at this place.
double self_noise_of(const TrialEvidence& evidence, std::size_t at) {
  double noise = 0;
  for (const TrialRun& run : evidence.runs) {
    if (!run.is_candidate && at < run.differences.size()) noise = std::max(noise, run.differences[at].largest_difference);
  }
  return noise;
}

void add_output(Worst& worst, const OutputDifference& one, double self_noise, const knowledge::TrialRules& rules) {
  if (!one.mismatch.empty() && worst.mismatch.empty()) worst.mismatch = one.name + ": " + one.mismatch;
  worst.compared += one.elements;
  worst.newly_not_finite += one.newly_not_finite;
  worst.share_within = std::min(worst.share_within, one.share_within());
  worst.times_tolerance = std::max(worst.times_tolerance, one.largest_times_tolerance);
  worst.difference = std::max(worst.difference, one.largest_difference);
  if (within_tolerance(one, rules) || one.largest_difference <= rules.times_self_noise * self_noise) return;
  const double of_largest = one.largest_value > 0 ? one.largest_difference / one.largest_value : HUGE_VAL;
  if (of_largest <= one.share_of_largest) {
    if (of_largest >= worst.share_of_largest) worst.share_allowed = one.share_of_largest;
    worst.share_of_largest = std::max(worst.share_of_largest, of_largest);
    return;
  }
  if (!worst.outside.empty()) return;
  worst.outside = fmt::format("{} differs by up to {:.3g}, {:.3g} times the tolerance of {}", one.name, one.largest_difference,
                              one.largest_times_tolerance, one.dtype);
  if (one.share_of_largest > 0)
    worst.outside += fmt::format(", and by more than {:.3g} % of the largest value, {:.3g}", 100 * one.share_of_largest, one.largest_value);
}

Worst worst_of(const TrialEvidence& evidence, const knowledge::TrialRules& rules) {
  Worst worst;
  for (const TrialRun& run : evidence.runs) {
    for (std::size_t at = 0; at < run.differences.size(); ++at) {
      const OutputDifference& one = run.differences[at];
      if (run.is_candidate) {
        add_output(worst, one, self_noise_of(evidence, at), rules);
        continue;
      }
      worst.self_noise = std::max(worst.self_noise, one.largest_difference);
      if (one.largest_value > 0) worst.relative_noise = std::max(worst.relative_noise, one.largest_difference / one.largest_value);
      if (one.largest_value == 0 && one.largest_difference > 0) worst.relative_noise = HUGE_VAL;
      if (!one.mismatch.empty()) worst.relative_noise = HUGE_VAL;
    }
  }
  return worst;
}

// The losses of the first process of each run of one side that has any.
std::vector<const std::vector<double>*> losses_of(const TrialEvidence& evidence, bool of_candidate) {
  std::vector<const std::vector<double>*> all;
  for (const TrialRun& run : evidence.runs) {
    if (run.is_candidate == of_candidate && !run.ranks.empty() && !run.ranks.front().losses.empty())
      all.push_back(&run.ranks.front().losses);
  }
  return all;
}

struct LossJudgement {
  GateOutcome outcome = GateOutcome::not_applicable;
  std::string why;
  std::optional<double> last_before, last_after;
};

// The band of the baseline at one window.
struct Band {
  double low, high, allowed;
};
Band band_at(const std::vector<const std::vector<double>*>& baseline, std::size_t at, double share) {
  Band band{(*baseline.front())[at], (*baseline.front())[at], 0};
  for (const std::vector<double>* losses : baseline) {
    band.low = std::min(band.low, (*losses)[at]);
    band.high = std::max(band.high, (*losses)[at]);
  }
  band.allowed = std::max(band.high - band.low, share * std::max(std::abs(band.low), std::abs(band.high)));
  return band;
}

std::string trouble_of_loss(const std::vector<double>& losses, const std::vector<const std::vector<double>*>& baseline,
                            const knowledge::TrialRules& rules) {
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!std::isfinite(losses[i])) return fmt::format("the loss of window {} is not finite with the change", i);
  }
  const Band last = band_at(baseline, losses.size() - 1, rules.loss_band);
  if (losses.back() > last.high + rules.loss_worse * std::abs(last.high))
    return fmt::format("the last loss is {:.6g} with the change and {:.6g} without, more than {:g} % worse", losses.back(), last.high,
                       100 * rules.loss_worse);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const Band band = band_at(baseline, i, rules.loss_band);
    if (losses[i] < band.low - band.allowed || losses[i] > band.high + band.allowed)
      return fmt::format("the loss of window {} is {:.6g} with the change, outside of the band of the baseline, {:.6g} to {:.6g}", i,
                         losses[i], band.low - band.allowed, band.high + band.allowed);
  }
  return {};
}

LossJudgement judge_losses(const TrialEvidence& evidence, const knowledge::TrialRules& rules) {
  const auto baseline = losses_of(evidence, false), candidate = losses_of(evidence, true);
  if (baseline.empty() && candidate.empty()) return {};
  LossJudgement judged{GateOutcome::passed, {}, {}, {}};
  if (baseline.empty() || candidate.empty()) return {GateOutcome::not_assessed, "only one side reports losses", {}, {}};
  for (const auto* side : {&baseline, &candidate}) {
    for (const std::vector<double>* losses : *side) {
      if (losses->size() != baseline.front()->size()) return {GateOutcome::not_assessed, "runs report different numbers of losses", {}, {}};
    }
  }
  for (const std::vector<double>* losses : baseline) {
    if (!std::ranges::all_of(*losses, [](double one) { return std::isfinite(one); }))
      return {GateOutcome::not_assessed, "the loss of the baseline itself is not finite", {}, {}};
  }
  judged.last_before = baseline.front()->back();
  judged.last_after = candidate.front()->back();
  for (const std::vector<double>* losses : candidate) {
    judged.why = trouble_of_loss(*losses, baseline, rules);
    if (!judged.why.empty()) {
      judged.outcome = GateOutcome::failed;
      break;
    }
  }
  return judged;
}

std::string failure_of_outputs(const Worst& worst) {
  if (!worst.mismatch.empty()) return "outputs cannot be the same: " + worst.mismatch;
  if (worst.newly_not_finite > 0) return fmt::format("{} values are NaN or infinite with the change alone", worst.newly_not_finite);
  return worst.outside;
}

// A failure decides, wherever it was found; then what could not be assessed.
void decide_numerics(Gate& gate, const Worst& worst, const LossJudgement& losses, const knowledge::TrialRules& rules) {
  const std::string failure = failure_of_outputs(worst);
  if (worst.relative_noise > rules.largest_self_noise) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = fmt::format(
        "two runs of the baseline differ by {:.3g} % of the largest value: nothing follows from a difference. "
        "Call fournex.layout.seed() before the model is made, and take the same data",
        100 * worst.relative_noise);
  } else if (!failure.empty() || losses.outcome == GateOutcome::failed) {
    gate.outcome = GateOutcome::failed;
    gate.why = failure.empty() ? losses.why : failure;
  } else if (losses.outcome == GateOutcome::not_assessed) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = losses.why;
  } else if (worst.compared == 0 && losses.outcome == GateOutcome::not_applicable) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = "the program handed over no outputs and no losses: call trial.output(...) or trial.loss(...)";
  } else {
    gate.outcome = GateOutcome::passed;
    gate.why = worst.compared == 0       ? "the losses are within the band of the baseline"
               : worst.share_allowed > 0 ? "the outputs agree within some units of rounding of their largest value"
                                         : "the outputs agree within tolerance";
  }
}

}  // namespace

Gate numerics_gate(const TrialEvidence& evidence, const knowledge::TrialRules& rules) {
  Gate gate{"numerics", "Numerics"};
  const Worst worst = worst_of(evidence, rules);
  const LossJudgement losses = judge_losses(evidence, rules);
  if (worst.compared > 0) {
    gate.numbers = {{"values compared", static_cast<double>(worst.compared), {}, ""},
                    {"share within tolerance", 100 * worst.share_within, 100 * rules.share_within, "%"},
                    {"largest difference in tolerances", worst.times_tolerance, rules.times_tolerance, ""},
                    {"largest difference", worst.difference, {}, ""},
                    {"largest difference, baseline alone", worst.self_noise, {}, ""}};
    if (worst.share_allowed > 0)
      gate.numbers.push_back({"largest difference, of the largest value", 100 * worst.share_of_largest, 100 * worst.share_allowed, "%"});
  }
  if (losses.last_before) {
    gate.numbers.push_back({"last loss without the change", losses.last_before, {}, ""});
    gate.numbers.push_back(
        {"last loss with the change", losses.last_after, *losses.last_before + rules.loss_worse * std::abs(*losses.last_before), ""});
  }
  decide_numerics(gate, worst, losses, rules);
  return gate;
}

}  // namespace frx::report
