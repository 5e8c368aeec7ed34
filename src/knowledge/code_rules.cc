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
Result<Word> word_of(const Value& root, std::string_view key, const std::array<std::pair<std::string_view, Word>, n>& known) {
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
    {{"kernel", CodeSubject::Scope::kernel}, {"launch", CodeSubject::Scope::launch}, {"occupancy", CodeSubject::Scope::occupancy}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> confidences{
    {{"low", "low"}, {"medium", "medium"}, {"high", "high"}}};

constexpr std::array<std::pair<std::string_view, model::Tier>, 2> code_tiers{
    {{"default", model::Tier::by_default}, {"pedantic", model::Tier::pedantic}}};

Result<std::string_view> text_of(const Value& root, std::string_view key) {
  const std::string_view text = root[key].text();
  if (text.empty()) return fail(ErrorKind::malformed, "expected a text for '{}'", key).at(root.where());
  return text;
}

// Names of facts are checked: an unknown one would silence its rule.
Result<> check_names(const CodeRule& rule, const Value& root, const CodeFactCatalogue& facts, const std::string& subject) {
  TRY(facts.check_words(rule.message, subject, root["message"].where()));
  if (!rule.at.empty() && !facts.of(subject, rule.at)) {
    return fail(ErrorKind::malformed, "a {} has no fact '{}'", subject, rule.at).at(root["at"].where());
  }
  return {};
}

Result<> read_overrides(const Value& overrides, const CodeFactCatalogue& facts, const std::string& subject, CodeRule& rule) {
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const Value special = overrides.value(i);
    CodeRule::Override& at = rule.architectures[overrides.key(i)];
    if (special["when"] || special["conditions"]) {
      TRY_ASSIGN(at.when, read_condition(special, facts.scope_of(subject)));
    }
    at.message = special["message"].text();
    if (!at.message.empty()) TRY(facts.check_words(at.message, subject, special["message"].where()));
    at.recommendations = special["recommendations"].texts();
    if (special["severity"]) {
      TRY_ASSIGN(at.severity, word_of(special, "severity", severities));
    }
  }
  return {};
}

Result<CodeRule> rule_of(const Value& root, std::string_view kind, const CodeFactCatalogue& facts) {
  CodeRule rule;
  rule.where = root.where();
  TRY_ASSIGN(rule.id, text_of(root, "id"));
  if (rule.where.find("/" + std::string(rule.id) + ".yaml:") == std::string::npos) {
    return fail(ErrorKind::malformed, "rule '{}' does not stand in a file of its name", rule.id).at(root["id"].where());
  }
  rule.layer = kind == "cuda" ? model::Layer::source : kind == "ptx" ? model::Layer::ptx : model::Layer::cubin;
  rule.rule = root["when"].text();
  rule.order = root["order"].number().value_or(1e9);
  TRY_ASSIGN(rule.scope, word_of(root, "scope", scopes));
  TRY_ASSIGN(rule.category, text_of(root, "category"));
  TRY_ASSIGN(rule.severity, word_of(root, "severity", severities));
  TRY_ASSIGN(rule.confidence, word_of(root, "confidence", confidences));
  if (root["tier"]) {
    TRY_ASSIGN(rule.tier, word_of(root, "tier", code_tiers));
  }
  TRY_ASSIGN(rule.message, text_of(root, "message"));
  rule.suggestion = root["suggestion"].text();
  rule.refute = root["refute"].text();
  rule.at = root["at"].text();
  const std::string subject = fmt::format("{}_{}", kind, root["scope"].text());
  TRY(check_names(rule, root, facts, subject));
  TRY_ASSIGN(rule.when, read_condition(root, facts.scope_of(subject)));
  if (root["pedantic_when"]) {
    TRY_ASSIGN(rule.pedantic_when, read_condition(root, facts.scope_of(subject), "pedantic_when"));
  }
  if (root["unconfirmed_when"]) {
    TRY_ASSIGN(rule.unconfirmed_when, read_condition(root, facts.scope_of(subject), "unconfirmed_when"));
  }
  rule.is_about_launches = rule.scope == model::CodeSubject::Scope::launch;
  rule.is_once_per_analysis = root["once_per_analysis"].boolean().value_or(false);
  rule.recommendations = root["recommendations"].texts();
  rule.ncu_signals = root["ncu_signals"];
  rule.cases = root["cases"];
  TRY(read_overrides(root["architecture_overrides"], facts, subject, rule));
  return rule;
}

}  // namespace

Result<Expression> read_condition(const Value& root, const Scope& scope, std::string_view key) {
  if (root["conditions"]) {
    return fail(ErrorKind::malformed, "'conditions' is written as an expression now: when: one_fact and another >= 3")
        .at(root["conditions"].where());
  }
  const Value when = root[key];
  if (!when.is_text()) return fail(ErrorKind::malformed, "expected a condition as '{}'", key).at(root.where());
  TRY_ASSIGN(Expression condition, Expression::parse(when.text(), scope, when.where()));
  if (!condition.is_truth()) return fail(ErrorKind::malformed, "'{}' is not a condition", key).at(when.where());
  return condition;
}

Result<CodeRules> CodeRules::load(const Library& library, std::string_view kind) {
  TRY_ASSIGN(const CodeFactCatalogue facts, CodeFactCatalogue::load(library));
  return load(library, kind, facts);
}

Result<CodeRules> CodeRules::load(const Library& library, std::string_view kind, const CodeFactCatalogue& facts) {
  CodeRules loaded;
  for (const Value& root : library.folder("code_rules/" + std::string(kind))) {
    TRY_ASSIGN(CodeRule rule, rule_of(root, kind, facts));
    loaded.rules_.push_back(std::move(rule));
  }
  std::ranges::stable_sort(loaded.rules_,
                           [](const CodeRule& a, const CodeRule& b) { return std::pair(a.order, a.id) < std::pair(b.order, b.id); });
  return loaded;
}

const CodeRule* CodeRules::with_id(std::string_view id) const {
  const auto at = std::ranges::find(rules_, id, &CodeRule::id);
  return at == rules_.end() ? nullptr : &*at;
}

}  // namespace frx::knowledge
