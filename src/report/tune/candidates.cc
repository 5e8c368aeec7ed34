#include "report/tune/candidates.h"

#include <algorithm>

#include "report/tune/combinations.h"
#include "report/tune/family_actions.h"
#include "report/tune/tune_needs.h"

namespace frx::report {
namespace {

using knowledge::Tuning;
using knowledge::TuningFamily;
using knowledge::TuningFocus;
using knowledge::TuningTier;

bool is_allowed(const TuningFamily& family, const TuneQuestion& question) {
  return family.tier == TuningTier::safe || !question.settings.safe;
}

bool is_new(const std::vector<TuneCandidate>& candidates, const std::string& id) {
  return std::ranges::find(candidates, id, &TuneCandidate::id) == candidates.end();
}

void add_stage(const TuningFamily& family, const knowledge::TuningStage& stage, const TuneQuestion& question, const Tuning& tuning,
               std::vector<TuneCandidate>& candidates) {
  std::size_t added = 0;
  for (FamilyAction& one : actions_of(family, question, tuning)) {
    if (added == stage.most) return;
    if (!one.has_words(stage.only) || !is_new(candidates, one.action.id)) continue;
    candidates.push_back({one.action.id, std::move(one.label), {std::move(one.action)}, true});
    ++added;
  }
}

bool multiplies_batch(const TuningFamily& family) {
  return std::ranges::any_of(family.actions, [](const knowledge::TuningAction& action) { return !action.multiplies_batch.empty(); });
}

bool needs_cuda(const TuningFamily& family) {
  return std::ranges::all_of(family.actions, [](const knowledge::TuningAction& action) {
    return std::ranges::find(action.only_with, knowledge::TuningNeed::cuda) != action.only_with.end();
  });
}

// Why an allowed family of the focus has no candidates.
std::string why_without(const TuningFamily& family, const TuneQuestion& question, const Tuning& tuning) {
  if (multiplies_batch(family)) {
    return question.batch_size ? "batch sizes are left out: no multiple of that of the baseline is larger than it"
                               : "batch sizes are left out: the baseline did not report its own (step_context(batch=...) of the SDK does)";
  }
  if (needs_cuda(family) && !may_offer(knowledge::TuningNeed::cuda, question, tuning))
    return fmt::format("{} is left out: no GPU with CUDA was seen", family.id);
  return fmt::format("{} is left out: the machine lacks what it needs", family.id);
}

std::string why_fallback(const TuningFocus& focus, const TuneQuestion& question, const Tuning& tuning) {
  const bool any_allowed = std::ranges::any_of(
      focus.stages, [&](const knowledge::TuningStage& stage) { return is_allowed(*tuning.family(stage.family), question); });
  const std::string_view instead = tuning.fallback().title;
  if (any_allowed) return fmt::format("{}: it leaves no candidates here; those of the {} are tried instead", focus.id, instead);
  return fmt::format("{}: its candidates need --no-safe; those of the {} are tried instead", focus.id, instead);
}

}  // namespace

std::string focus_of(std::string_view label, const Tuning& tuning) {
  if (label.empty()) return {};
  const TuningFocus* const focus = tuning.focus_with_label(label);
  if (focus == nullptr) return std::string(knowledge::other_focus);
  return focus->id == knowledge::no_focus ? std::string() : std::string(focus->id);
}

TuneCandidates candidates_for(const TuneQuestion& question, const Tuning& tuning) {
  const TuningFocus* focus = tuning.focus(question.focus.empty() ? knowledge::no_focus : question.focus);
  if (focus == nullptr) focus = tuning.focus(knowledge::other_focus);
  TuneCandidates found;
  if (focus->id == knowledge::other_focus)
    found.notes.push_back(fmt::format("{}; those of the {} are tried", focus->says, tuning.fallback().title));
  for (const knowledge::TuningStage& stage : focus->stages) {
    const TuningFamily& family = *tuning.family(stage.family);
    if (!is_allowed(family, question)) continue;
    const std::size_t before = found.candidates.size();
    add_stage(family, stage, question, tuning, found.candidates);
    if (found.candidates.size() == before) found.notes.push_back(why_without(family, question, tuning));
  }
  if (found.candidates.empty()) {
    found.notes.push_back(why_fallback(*focus, question, tuning));
    add_stage(tuning.fallback(), {}, question, tuning, found.candidates);
  }
  add_combinations(*focus, question, tuning, found.candidates);
  return found;
}

TuneLimits default_limits(const Tuning& tuning) {
  const knowledge::TuningLimits& known = tuning.limits();
  TuneLimits limits;
  limits.min_speedup = known.min_speedup;
  limits.max_memory_ratio = known.max_memory_ratio;
  limits.max_step_time_regression = known.max_step_time_regression;
  limits.fewest_steps = known.fewest_steps;
  limits.memory_headroom = known.memory_headroom;
  limits.max_final_loss_regression = known.max_final_loss_regression;
  limits.max_loss_divergence = known.max_loss_divergence;
  limits.output_abs_tolerance = known.output_abs_tolerance;
  return limits;
}

}  // namespace frx::report
