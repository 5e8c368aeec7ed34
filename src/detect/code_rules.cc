#include "detect/code_rules.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "base/units.h"

namespace frx::detect {
namespace {

using knowledge::CodeRule;
using model::CodeFact;
using model::CodeSubject;
using model::Finding;

const CodeRule::Override* override_of(const CodeRule& rule, std::string_view sm_version) {
  const auto at = rule.architectures.find(sm_version);
  return at == rule.architectures.end() ? nullptr : &at->second;
}

const CodeFact* find(const CodeSubject& subject, std::string_view name) {
  const std::optional<model::CodeFactId> id = model::code_fact_called(name);
  return id ? subject.find(*id) : nullptr;
}

// Counts without decimals, shares and averages with two.
std::string shown(double value) { return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value); }
std::string shown(bool value) { return value ? "yes" : "no"; }
std::string shown(const std::string& value) { return value; }
std::string shown(const CodeFact& fact) {
  return std::visit([](const auto& value) { return shown(value); }, fact.value);
}

model::Tier tier_of(const CodeRule& rule, const CodeSubject& subject) {
  const auto holds = [&](const knowledge::Expression& condition) {
    return !condition.empty() && condition.truth(knowledge::lookup_in(subject)).value_or(false);
  };
  if (holds(rule.unconfirmed_when)) return model::Tier::unconfirmed;
  return holds(rule.pedantic_when) ? model::Tier::pedantic : rule.tier;
}

Finding finding_of(const CodeRule& rule, const CodeSubject& subject, std::string_view sm_version) {
  const CodeRule::Override* special = override_of(rule, sm_version);
  Finding finding;
  finding.type = &rule;
  finding.severity = special && special->severity ? *special->severity : rule.severity;
  finding.confidence = rule.confidence;
  finding.tier = tier_of(rule, subject);
  finding.message = filled(special && !special->message.empty() ? special->message : rule.message, subject);
  finding.kernel = subject.kernel;
  finding.recommendations = special && !special->recommendations.empty() ? special->recommendations : rule.recommendations;
  const CodeFact* const fact = find(subject, rule.at);
  finding.places = fact && !fact->places.empty() ? fact->places : std::vector{subject.place};
  return finding;
}

}  // namespace

std::string filled(std::string_view message, const CodeSubject& subject) {
  std::string text;
  while (!message.empty()) {
    const std::size_t open = message.find('{');
    const std::size_t close = open == message.npos ? message.npos : message.find('}', open);
    if (close == message.npos) break;
    text += message.substr(0, open);
    const std::string_view slot = message.substr(open + 1, close - open - 1);
    const std::size_t colon = slot.find(':');
    const CodeFact* fact = find(subject, slot.substr(0, colon));
    const double* count = fact && colon != slot.npos ? std::get_if<double>(&fact->value) : nullptr;
    if (count) {
      text += count_text(static_cast<std::size_t>(*count), slot.substr(colon + 1));
    } else {
      text += fact ? shown(*fact) : std::string(message.substr(open, close + 1 - open));
    }
    message.remove_prefix(close + 1);
  }
  return text + std::string(message);
}

std::optional<bool> holds(const CodeRule& rule, const CodeSubject& subject, std::string_view sm_version) {
  if (rule.scope != subject.scope) return std::nullopt;
  const CodeRule::Override* special = override_of(rule, sm_version);
  return (special && !special->when.empty() ? special->when : rule.when).truth(knowledge::lookup_in(subject));
}

std::vector<RuleCount> RuleTally::counts() const {
  std::vector<RuleCount> counts;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i].asked > 0) counts.push_back({rules_.all()[i].id, counts_[i].asked, counts_[i].undecided});
  }
  return counts;
}

std::vector<Finding> examine(const knowledge::CodeRules& rules, std::span<const CodeSubject> subjects, std::string_view sm_version,
                             RuleTally* tally) {
  std::vector<Finding> findings;
  for (const CodeSubject& subject : subjects) {
    for (std::size_t i = 0; i < rules.all().size(); ++i) {
      const CodeRule& rule = rules.all()[i];
      if (rule.scope != subject.scope) continue;
      const std::optional<bool> verdict = holds(rule, subject, sm_version);
      if (tally) tally->add(i, verdict.has_value());
      if (verdict.value_or(false)) findings.push_back(finding_of(rule, subject, sm_version));
    }
  }
  sort_findings(findings);
  return findings;
}

void sort_findings(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    const auto key = [](const Finding& f) {
      return std::tuple(-static_cast<int>(f.severity), std::string_view(f.place().file), f.place().line, f.place().column);
    };
    return key(a) < key(b);
  });
}

}  // namespace frx::detect
