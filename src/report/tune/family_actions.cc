#include "report/tune/family_actions.h"

#include <algorithm>
#include <optional>

#include "base/numbers.h"
#include "report/tune/tune_needs.h"

namespace frx::report {
namespace {

using knowledge::TuningAction;
using knowledge::TuningFamily;
using Words = std::vector<std::pair<std::string, std::string>>;

std::string* value_of_word(Words& words, std::string_view name) {
  const auto at = std::ranges::find(words, name, &Words::value_type::first);
  return at == words.end() ? nullptr : &at->second;
}

std::string with_words(std::string_view text, Words& words) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == text.npos) break;
    const std::size_t close = text.find('}', open);
    if (const std::string* value = value_of_word(words, text.substr(open + 1, close - open - 1))) filled += *value;
    text.remove_prefix(close + 1);
  }
  return filled;
}

// All combinations of the values, the last dimension changing fastest.
std::vector<Words> combinations_of(const TuningAction& pattern) {
  std::vector<Words> all(1);
  for (const knowledge::TuningDimension& dimension : pattern.dimensions) {
    std::vector<Words> longer;
    for (const Words& so_far : all) {
      for (const knowledge::TuningWords& value : dimension.values) {
        Words words = so_far;
        for (const auto& [name, text] : value) words.emplace_back(name, text);
        longer.push_back(std::move(words));
      }
    }
    all = std::move(longer);
  }
  return all;
}

double number_or_zero(const std::string& text) { return parse_number(text, NumberStyle::point).value_or(0); }

// Fits the values to the machine and the program; false: these make no action here.
bool fit(const TuningAction& pattern, Words& words, const TuneQuestion& question) {
  const auto cpus = static_cast<double>(std::max<std::size_t>(question.environment.cpus, 1));
  if (const std::string* value = value_of_word(words, pattern.at_most_cpus)) {
    if (number_or_zero(*value) > cpus) return false;
  }
  if (std::string* value = value_of_word(words, pattern.lowered_to_cpus)) {
    if (number_or_zero(*value) > cpus) *value = fmt::format("{:.0f}", cpus);
  }
  if (const std::string* factor = value_of_word(words, pattern.multiplies_batch)) {
    // Of a batch of one sample some multiples are the batch itself.
    const double batch = question.batch_size.value_or(0), samples = std::floor(batch * number_or_zero(*factor));
    if (batch < 1 || samples <= batch) return false;
    words.emplace_back("samples", fmt::format("{:.0f}", samples));
  }
  return true;
}

FamilyAction action_with(const TuningFamily& family, const TuningAction& pattern, Words words) {
  FamilyAction made;
  made.label = with_words(pattern.label, words);
  TuneAction& action = made.action;
  action.id = with_words(pattern.id, words);
  action.type = family.id;
  action.detail = with_words(pattern.detail, words);
  action.tier = static_cast<TuneTier>(family.tier);
  action.risk = static_cast<TuneRisk>(pattern.risk);
  action.reversible = family.reversible;
  action.requires_approval = family.requires_approval;
  action.changes_numerics = pattern.changes_numerics;
  for (const auto& [name, value] : pattern.variables) action.variables.emplace_back(name, with_words(value, words));
  for (const std::string_view one : pattern.preconditions) action.preconditions.emplace_back(one);
  action.title = pattern.title;
  action.needs = pattern.rejected_without;
  action.expected_benefit = family.expected_benefit;
  action.rollback = family.rollback;
  made.words = std::move(words);
  made.combines = pattern.combines && made.has_words(pattern.combines_with);
  return made;
}

}  // namespace

bool FamilyAction::has_words(const knowledge::TuningWords& wanted) const {
  return std::ranges::all_of(wanted, [&](const auto& one) {
    return std::ranges::any_of(words, [&](const auto& has) { return has.first == one.first && has.second == one.second; });
  });
}

std::vector<FamilyAction> actions_of(const TuningFamily& family, const TuneQuestion& question, const knowledge::Tuning& tuning) {
  std::vector<FamilyAction> actions;
  for (const TuningAction& pattern : family.actions) {
    const auto offers = [&](knowledge::TuningNeed need) { return may_offer(need, question, tuning); };
    if (!std::ranges::all_of(pattern.only_with, offers)) continue;
    for (Words& words : combinations_of(pattern)) {
      if (!fit(pattern, words, question)) continue;
      FamilyAction made = action_with(family, pattern, std::move(words));
      const bool is_new = std::ranges::none_of(actions, [&](const FamilyAction& one) { return one.action.id == made.action.id; });
      if (is_new) actions.push_back(std::move(made));
    }
  }
  return actions;
}

}  // namespace frx::report
