#include "detect/code_rules.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "base/units.h"

namespace frx::detect {
namespace {

using knowledge::CodeCondition;
using knowledge::CodeRule;
using model::CodeFact;
using model::CodeFinding;
using model::CodeSubject;

const CodeRule::Override* override_of(const CodeRule& rule, std::string_view sm_version) {
  const auto at = rule.architectures.find(sm_version);
  return at == rule.architectures.end() ? nullptr : &at->second;
}

bool compares(double measured, CodeCondition::Compare compare, double limit) {
  switch (compare) {
    case CodeCondition::equal: return measured == limit;
    case CodeCondition::at_least: return measured >= limit;
    case CodeCondition::above: return measured > limit;
    case CodeCondition::at_most: return measured <= limit;
    case CodeCondition::below: return measured < limit;
  }
  return false;
}

bool meets(const CodeFact& fact, const CodeCondition& condition) {
  if (const double* number = std::get_if<double>(&fact.value)) {
    const double* limit = std::get_if<double>(&condition.value);
    return limit && compares(*number, condition.compare, *limit);
  }
  if (condition.compare != CodeCondition::equal) return false;
  if (const bool* truth = std::get_if<bool>(&fact.value)) {
    const bool* wanted = std::get_if<bool>(&condition.value);
    return wanted && *truth == *wanted;
  }
  const std::string_view* wanted = std::get_if<std::string_view>(&condition.value);
  return wanted && std::get<std::string>(fact.value) == *wanted;
}

// Counts without decimals, shares and averages with two.
std::string shown(double value) {
  return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}
std::string shown(bool value) { return value ? "yes" : "no"; }
std::string shown(const std::string& value) { return value; }
std::string shown(const CodeFact& fact) {
  return std::visit([](const auto& value) { return shown(value); }, fact.value);
}

CodeFinding finding_of(const CodeRule& rule, const CodeSubject& subject, std::string_view sm_version) {
  const CodeRule::Override* special = override_of(rule, sm_version);
  CodeFinding finding;
  finding.code = rule.id;
  finding.category = rule.category;
  finding.severity = special && special->severity ? *special->severity : rule.severity;
  finding.confidence = rule.confidence;
  finding.message = filled(special && !special->message.empty() ? special->message : rule.message, subject);
  finding.suggestion = rule.suggestion;
  finding.refute = rule.refute;
  finding.kernel = subject.kernel;
  finding.place = subject.place;
  finding.recommendations =
      special && !special->recommendations.empty() ? special->recommendations : rule.recommendations;
  finding.rule_place = rule.where;
  if (const CodeFact* fact = subject.find(rule.at); fact && !fact->places.empty()) {
    finding.place = fact->places.front();
    finding.more_places.assign(fact->places.begin() + 1, fact->places.end());
  }
  return finding;
}

}  // namespace

bool meets(std::span<const CodeCondition> conditions, const CodeSubject& subject) {
  return std::ranges::all_of(conditions, [&](const CodeCondition& condition) {
    const CodeFact* fact = subject.find(condition.fact);
    return fact && meets(*fact, condition);
  });
}

std::string filled(std::string_view message, const CodeSubject& subject) {
  std::string text;
  while (!message.empty()) {
    const std::size_t open = message.find('{');
    const std::size_t close = open == message.npos ? message.npos : message.find('}', open);
    if (close == message.npos) break;
    text += message.substr(0, open);
    const std::string_view slot = message.substr(open + 1, close - open - 1);
    const std::size_t colon = slot.find(':');
    const CodeFact* fact = subject.find(slot.substr(0, colon));
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

bool holds(const CodeRule& rule, const CodeSubject& subject, std::string_view sm_version) {
  if (rule.scope != subject.scope) return false;
  const CodeRule::Override* special = override_of(rule, sm_version);
  const std::vector<CodeCondition>& conditions =
      special && !special->conditions.empty() ? special->conditions : rule.conditions;
  return meets(conditions, subject);
}

std::vector<CodeFinding> examine(const knowledge::CodeRules& rules, std::span<const CodeSubject> subjects,
                                 std::string_view sm_version) {
  std::vector<CodeFinding> findings;
  for (const CodeSubject& subject : subjects) {
    for (const CodeRule& rule : rules.all()) {
      if (holds(rule, subject, sm_version)) findings.push_back(finding_of(rule, subject, sm_version));
    }
  }
  sort_findings(findings);
  return findings;
}

void sort_findings(std::vector<CodeFinding>& findings) {
  std::ranges::stable_sort(findings, [](const CodeFinding& a, const CodeFinding& b) {
    const auto key = [](const CodeFinding& f) {
      return std::tuple(-static_cast<int>(f.severity), std::string_view(f.place.file), f.place.line, f.place.column);
    };
    return key(a) < key(b);
  });
}

}  // namespace frx::detect
