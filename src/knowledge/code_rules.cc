#include "knowledge/code_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace frx::knowledge {
namespace {

using model::CodeSubject;
using model::Severity;

template <typename Word, std::size_t n>
Result<Word> word_of(const Value& root, std::string_view key,
                     const std::array<std::pair<std::string_view, Word>, n>& known) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : known) {
    if (root[key].text() == word) return meaning;
    words.emplace_back(word);
  }
  return fail(ErrorKind::malformed, "expected one of {} for '{}', found '{}'", join(words, ", "), key, root[key].text())
      .at(root[key] ? root[key].where() : root.where());
}

constexpr std::array<std::pair<std::string_view, Severity>, 3> severities{
    {{"low", Severity::low}, {"medium", Severity::medium}, {"high", Severity::high}}};
constexpr std::array<std::pair<std::string_view, CodeSubject::Scope>, 3> scopes{
    {{"kernel", CodeSubject::Scope::kernel},
     {"launch", CodeSubject::Scope::launch},
     {"occupancy", CodeSubject::Scope::occupancy}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> confidences{
    {{"low", "low"}, {"medium", "medium"}, {"high", "high"}}};

CodeCondition::Compare comparison_of(std::string_view& key) {
  constexpr std::array<std::pair<std::string_view, CodeCondition::Compare>, 4> suffixes{
      {{"_gte", CodeCondition::at_least},
       {"_gt", CodeCondition::above},
       {"_lte", CodeCondition::at_most},
       {"_lt", CodeCondition::below}}};
  for (const auto& [suffix, compare] : suffixes) {
    if (key.ends_with(suffix)) {
      key.remove_suffix(suffix.size());
      return compare;
    }
  }
  return CodeCondition::equal;
}

Result<std::string_view> text_of(const Value& root, std::string_view key) {
  const std::string_view text = root[key].text();
  if (text.empty()) return fail(ErrorKind::malformed, "expected a text for '{}'", key).at(root.where());
  return text;
}

Result<CodeRule> rule_of(const Value& root) {
  CodeRule rule;
  rule.where = root.where();
  TRY_ASSIGN(rule.id, text_of(root, "id"));
  if (rule.where.find("/" + std::string(rule.id) + ".yaml:") == std::string::npos) {
    return fail(ErrorKind::malformed, "rule '{}' does not stand in a file of its name", rule.id).at(root["id"].where());
  }
  rule.order = root["order"].number().value_or(1e9);
  TRY_ASSIGN(rule.scope, word_of(root, "scope", scopes));
  TRY_ASSIGN(rule.category, text_of(root, "category"));
  TRY_ASSIGN(rule.severity, word_of(root, "severity", severities));
  TRY_ASSIGN(rule.confidence, word_of(root, "confidence", confidences));
  TRY_ASSIGN(rule.message, text_of(root, "message"));
  rule.suggestion = root["suggestion"].text();
  rule.refute = root["refute"].text();
  rule.at = root["at"].text();
  TRY_ASSIGN(rule.conditions, read_code_conditions(root["conditions"]));
  if (rule.conditions.empty())
    return fail(ErrorKind::malformed, "rule '{}' has no conditions", rule.id).at(root.where());
  rule.recommendations = root["recommendations"].texts();
  rule.ncu_signals = root["ncu_signals"];
  rule.cases = root["cases"];
  const Value overrides = root["architecture_overrides"];
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    CodeRule::Override& at = rule.architectures[overrides.key(i)];
    TRY_ASSIGN(at.conditions, read_code_conditions(overrides.value(i)["conditions"]));
    at.message = overrides.value(i)["message"].text();
    at.recommendations = overrides.value(i)["recommendations"].texts();
    if (overrides.value(i)["severity"]) {
      TRY_ASSIGN(at.severity, word_of(overrides.value(i), "severity", severities));
    }
  }
  return rule;
}

}  // namespace

Result<std::vector<CodeCondition>> read_code_conditions(const Value& map) {
  std::vector<CodeCondition> conditions;
  if (map && !map.is_map()) return fail(ErrorKind::malformed, "expected 'fact: value' pairs").at(map.where());
  for (std::size_t i = 0; i < map.size(); ++i) {
    CodeCondition condition;
    condition.fact = map.key(i);
    condition.compare = comparison_of(condition.fact);
    const Value value = map.value(i);
    if (const auto truth = value.boolean()) {
      condition.value = *truth;
    } else if (const auto number = value.number()) {
      condition.value = *number;
    } else {
      condition.value = value.text();
    }
    if (condition.compare != CodeCondition::equal && !std::holds_alternative<double>(condition.value)) {
      return fail(ErrorKind::malformed, "expected a number for '{}', found '{}'", map.key(i), value.text())
          .at(value.where());
    }
    conditions.push_back(condition);
  }
  return conditions;
}

Result<CodeRules> CodeRules::load(const Library& library, std::string_view kind) {
  CodeRules loaded;
  for (const Value& root : library.folder("code_rules/" + std::string(kind))) {
    TRY_ASSIGN(CodeRule rule, rule_of(root));
    loaded.rules_.push_back(std::move(rule));
  }
  std::ranges::stable_sort(loaded.rules_, [](const CodeRule& a, const CodeRule& b) {
    return std::pair(a.order, a.id) < std::pair(b.order, b.id);
  });
  return loaded;
}

const CodeRule* CodeRules::with_id(std::string_view id) const {
  const auto at = std::ranges::find(rules_, id, &CodeRule::id);
  return at == rules_.end() ? nullptr : &*at;
}

}  // namespace frx::knowledge
