#include "knowledge/tuning_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "base/numbers.h"

namespace frx::knowledge {
namespace {

constexpr std::array<std::string_view, 3> tuning_tiers = {"safe", "validated", "risky"};
constexpr std::array<std::string_view, 3> tuning_risks = {"low", "medium", "high"};
constexpr std::array<std::string_view, 6> need_names = {"cuda", "bf16", "static_shapes", "compile", "memory_headroom", "quality_gates"};
constexpr std::array<std::string_view, 13> family_members = {
    "id",       "order",         "title",     "tier",   "risk", "reversible", "requires_approval", "changes_numerics", "expected_benefit",
    "rollback", "preconditions", "bf16_gpus", "actions"};
constexpr std::array<std::string_view, 12> action_members = {"id",           "label",           "detail",           "title",     "for",
                                                             "at_most_cpus", "lowered_to_cpus", "multiplies_batch", "variables", "combined",
                                                             "risk",         "changes_numerics"};
// Of an action, or of the family for all of its actions that do not say otherwise.
constexpr std::array<std::string_view, 3> shared_members = {"only_with", "rejected_without", "preconditions"};
// The word that multiplies_batch adds.
constexpr std::string_view product_word = "samples";

template <typename Name, typename List>
Result<Name> name_in(const Value& value, const List& known, std::string_view what) {
  const auto at = std::ranges::find(known, value.text());
  if (at == known.end()) return fail(ErrorKind::malformed, "'{}' is no {}", value.text(), what).at(value.where());
  return static_cast<Name>(at - known.begin());
}

template <typename List>
Result<> check_members(const Value& map, const List& known, std::string_view what) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::string_view name = map.key(i);
    const bool is_known = std::ranges::find(known, name) != known.end() || std::ranges::find(shared_members, name) != shared_members.end();
    if (!is_known) return fail(ErrorKind::malformed, "{} has no member '{}'", what, name).at(place_in(map, name));
  }
  return {};
}

Result<bool> truth_or(const Value& map, std::string_view key, bool otherwise) {
  if (!map[key]) return otherwise;
  if (const std::optional<bool> truth = map[key].boolean()) return *truth;
  return fail(ErrorKind::malformed, "expected {} as true or false", key).at(map[key].where());
}

Result<TuningRisk> risk_or(const Value& map, TuningRisk otherwise) {
  if (!map["risk"]) return otherwise;
  return name_in<TuningRisk>(map["risk"], tuning_risks, "risk");
}

// What an action says of itself, else what its family says.
Result<std::vector<TuningNeed>> needs_in(const Value& action, const Value& family, std::string_view key) {
  const Value list = action[key] ? action[key] : family[key];
  std::vector<TuningNeed> needs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY_ASSIGN(const TuningNeed need, name_in<TuningNeed>(list.item(i), need_names, "need of an action"));
    needs.push_back(need);
  }
  return needs;
}

TuningWords words_in(const Value& map) {
  TuningWords words;
  for (std::size_t i = 0; i < map.size(); ++i) words.emplace_back(map.key(i), map.value(i).text());
  return words;
}

Result<TuningDimension> dimension_in(std::string_view name, const Value& list) {
  TuningDimension dimension{name, {}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value value = list.item(i);
    dimension.values.push_back(value.is_map() ? words_in(value) : TuningWords{{name, value.text()}});
    if (!std::ranges::equal(dimension.values.back(), dimension.values.front(), {}, &TuningWords::value_type::first,
                            &TuningWords::value_type::first))
      return fail(ErrorKind::malformed, "expected the same words in each value of '{}'", name).at(value.where());
  }
  if (dimension.values.empty()) return fail(ErrorKind::malformed, "expected a list of values for '{}'", name).at(list.where());
  return dimension;
}

// The words that the texts of an action may use.
std::set<std::string_view> words_of(const TuningAction& action) {
  std::set<std::string_view> words;
  for (const TuningDimension& dimension : action.dimensions) {
    for (const auto& [word, value] : dimension.values.front()) words.insert(word);
  }
  if (!action.multiplies_batch.empty()) words.insert(product_word);
  return words;
}

Result<> check_words(std::string_view text, const std::set<std::string_view>& known, const Value& at) {
  for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    const std::string_view word = text.substr(open + 1, close == text.npos ? close : close - open - 1);
    if (close == text.npos || !known.contains(word))
      return fail(ErrorKind::malformed, "'{{{}}}' is no word of this action", word).at(at.where());
  }
  return {};
}

// Values of a word that frx computes with.
Result<> check_numbers(std::string_view word, const TuningAction& action, const Value& at) {
  for (const TuningDimension& dimension : action.dimensions) {
    for (const TuningWords& value : dimension.values) {
      const auto found = std::ranges::find(value, word, &TuningWords::value_type::first);
      if (found == value.end()) continue;
      const std::optional<double> number = parse_number(found->second, NumberStyle::point);
      if (!number || *number < 0)
        return fail(ErrorKind::malformed, "expected numbers for '{}', found '{}'", word, found->second).at(at.where());
    }
  }
  return {};
}

Result<> check_action(const TuningAction& action, const Value& entry) {
  const std::set<std::string_view> known = words_of(action);
  for (const std::string_view key : {"id", "label", "detail"}) TRY(check_words(entry[key].text(), known, entry[key]));
  const Value variables = entry["variables"];
  for (std::size_t i = 0; i < variables.size(); ++i) TRY(check_words(variables.value(i).text(), known, variables.value(i)));
  for (const std::string_view key : {"at_most_cpus", "lowered_to_cpus", "multiplies_batch"}) {
    if (!entry[key]) continue;
    if (!known.contains(entry[key].text()))
      return fail(ErrorKind::malformed, "'{}' is no word of this action", entry[key].text()).at(entry[key].where());
    TRY(check_numbers(entry[key].text(), action, entry[key]));
  }
  return {};
}

Result<> read_combined(const Value& entry, TuningAction& action) {
  const Value combined = entry["combined"];
  if (combined.is_map()) {
    action.combines_with = words_in(combined);
    return {};
  }
  TRY_ASSIGN(action.combines, truth_or(entry, "combined", true));
  return {};
}

Result<TuningAction> action_in(const Value& entry, const Value& family) {
  TRY(check_members(entry, action_members, "an action"));
  TuningAction action;
  action.id = entry["id"].text();
  action.label = entry["label"].text();
  action.detail = entry["detail"].text();
  action.title = (entry["title"] ? entry["title"] : family["title"]).text();
  if (action.id.empty() || action.label.empty() || action.detail.empty())
    return fail(ErrorKind::malformed, "expected an action with id, label and detail").at(entry.where());
  const Value values = entry["for"];
  for (std::size_t i = 0; i < values.size(); ++i) {
    TRY_ASSIGN(TuningDimension dimension, dimension_in(values.key(i), values.value(i)));
    action.dimensions.push_back(std::move(dimension));
  }
  action.at_most_cpus = entry["at_most_cpus"].text();
  action.lowered_to_cpus = entry["lowered_to_cpus"].text();
  action.multiplies_batch = entry["multiplies_batch"].text();
  action.variables = words_in(entry["variables"]);
  std::ranges::sort(action.variables);
  if (action.variables.empty()) return fail(ErrorKind::malformed, "expected an action with variables").at(entry.where());
  TRY(check_action(action, entry));
  TRY(read_combined(entry, action));
  TRY_ASSIGN(action.only_with, needs_in(entry, family, "only_with"));
  TRY_ASSIGN(action.rejected_without, needs_in(entry, family, "rejected_without"));
  TRY_ASSIGN(const TuningRisk risk, risk_or(family, TuningRisk::low));
  TRY_ASSIGN(action.risk, risk_or(entry, risk));
  TRY_ASSIGN(const bool changes_numerics, truth_or(family, "changes_numerics", false));
  TRY_ASSIGN(action.changes_numerics, truth_or(entry, "changes_numerics", changes_numerics));
  action.preconditions = (entry["preconditions"] ? entry["preconditions"] : family["preconditions"]).texts();
  return action;
}

}  // namespace

Result<std::size_t> tuning_count(const Value& map, std::string_view key) {
  TRY_ASSIGN(const double number, limited_number(map, key, 10'000));
  if (number != std::floor(number)) return fail(ErrorKind::malformed, "expected {} as a whole number", key).at(place_in(map, key));
  return static_cast<std::size_t>(number);
}

Result<TuningFamily> read_tuning_family(const Value& root) {
  TRY(check_members(root, family_members, "a family"));
  TuningFamily family;
  family.id = root["id"].text();
  family.title = root["title"].text();
  family.expected_benefit = root["expected_benefit"].text();
  family.rollback = root["rollback"].text();
  if (family.id.empty() || family.title.empty() || family.expected_benefit.empty() || family.rollback.empty())
    return fail(ErrorKind::malformed, "expected a family with id, title, expected_benefit and rollback").at(root.where());
  family.order = root["order"].number().value_or(0);
  TRY_ASSIGN(family.tier, name_in<TuningTier>(root["tier"], tuning_tiers, "tier"));
  TRY_ASSIGN(family.reversible, truth_or(root, "reversible", true));
  TRY_ASSIGN(family.requires_approval, truth_or(root, "requires_approval", false));
  TRY_ASSIGN(const Value actions, root.list("actions"));
  for (std::size_t i = 0; i < actions.size(); ++i) {
    TRY_ASSIGN(TuningAction action, action_in(actions.item(i), root));
    family.actions.push_back(std::move(action));
  }
  if (family.actions.empty()) return fail(ErrorKind::malformed, "expected a family with actions").at(root.where());
  return family;
}

Result<TuningStage> read_tuning_stage(const Value& entry) {
  TuningStage stage;
  stage.family = entry["family"].text();
  stage.only = words_in(entry["only"]);
  if (entry["most"]) {
    TRY_ASSIGN(stage.most, tuning_count(entry, "most"));
  }
  return stage;
}

}  // namespace frx::knowledge
