#include "report/tune/combinations.h"

#include <algorithm>
#include <set>

#include "report/tune/family_actions.h"

namespace frx::report {
namespace {

// What is chosen so far: one action of some families, in the order of the families.
using ChosenActions = std::vector<const FamilyAction*>;

std::vector<std::vector<FamilyAction>> combined_actions(const knowledge::TuningFocus& focus, const TuneQuestion& question,
                                                        const knowledge::Tuning& tuning) {
  std::vector<std::vector<FamilyAction>> families;
  for (const knowledge::TuningFamily& family : tuning.families()) {
    const bool is_combined = std::ranges::find(focus.combined, family.id) != focus.combined.end();
    if (!is_combined || (question.settings.safe && family.tier != knowledge::TuningTier::safe)) continue;
    std::vector<FamilyAction> actions = actions_of(family, question, tuning);
    std::erase_if(actions, [](const FamilyAction& one) { return !one.combines; });
    if (!actions.empty()) families.push_back(std::move(actions));
  }
  return families;
}

std::vector<ChosenActions> choices_of(const std::vector<std::vector<FamilyAction>>& families) {
  std::vector<ChosenActions> choices(1);
  for (const std::vector<FamilyAction>& family : families) {
    const std::size_t without = choices.size();
    for (std::size_t i = 0; i < without; ++i) {
      for (const FamilyAction& action : family) {
        choices.push_back(choices[i]);
        choices.back().push_back(&action);
      }
    }
  }
  std::ranges::stable_sort(choices, {}, [](const ChosenActions& choice) { return choice.size(); });
  return choices;
}

TuneCandidate combination_of(const ChosenActions& choice) {
  TuneCandidate candidate;
  candidate.is_documented = false;
  for (const FamilyAction* one : choice) {
    candidate.id += (candidate.id.empty() ? "" : "+") + one->action.id;
    candidate.label += (candidate.label.empty() ? "" : " + ") + one->label;
    candidate.actions.push_back(one->action);
  }
  return candidate;
}

}  // namespace

void add_combinations(const knowledge::TuningFocus& focus, const TuneQuestion& question, const knowledge::Tuning& tuning,
                      std::vector<TuneCandidate>& candidates) {
  const std::vector<std::vector<FamilyAction>> families = combined_actions(focus, question, tuning);
  std::set<std::string> documented;
  for (const TuneCandidate& one : candidates) documented.insert(one.id);
  std::size_t added = 0;
  for (const ChosenActions& choice : choices_of(families)) {
    const auto is_documented = [&](const FamilyAction* one) { return documented.contains(one->action.id); };
    if (choice.size() < 2 || std::ranges::none_of(choice, is_documented)) continue;
    if (added++ == tuning.most_combinations()) return;
    candidates.push_back(combination_of(choice));
  }
}

}  // namespace frx::report
