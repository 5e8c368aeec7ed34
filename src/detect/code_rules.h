// Evaluates the rules of static analysis for kernels and launches.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/code_rules.h"
#include "model/finding.h"

namespace frx::detect {

// Does the rule hold? nullopt when a deciding fact is absent, or the subject is not of its scope. `sm_version` ("sm_90", or "" when
// unknown) selects its overrides.
std::optional<bool> holds(const knowledge::CodeRule& rule, const model::CodeSubject& subject, std::string_view sm_version);

// {name} becomes the fact's value, {name:load} "1 load" or "2 loads"; an unknown name is left unchanged, so that a mistake is visible.
std::string filled(std::string_view message, const model::CodeSubject& subject);

// Of how many subjects a rule was asked, and for how many of them a deciding fact was absent.
struct RuleCount {
  std::string_view rule;
  std::uint32_t asked = 0, undecided = 0;
};
class RuleTally {
 public:
  explicit RuleTally(const knowledge::CodeRules& rules) : rules_(rules), counts_(rules.all().size()) {}
  // From any thread. `rule` is its place among all rules.
  void add(std::size_t rule, bool is_decided) {
    counts_[rule].asked.fetch_add(1, std::memory_order_relaxed);
    if (!is_decided) counts_[rule].undecided.fetch_add(1, std::memory_order_relaxed);
  }
  // Of the rules that were asked of anything, in their order.
  std::vector<RuleCount> counts() const;

 private:
  struct Count {
    std::atomic<std::uint32_t> asked = 0, undecided = 0;
  };
  const knowledge::CodeRules& rules_;
  std::vector<Count> counts_;
};

// Most severe first, then by file, line and rule. One finding per rule and subject. `tally`, where it is given, is of the same rules.
std::vector<model::Finding> examine(const knowledge::CodeRules& rules, std::span<const model::CodeSubject> subjects,
                                    std::string_view sm_version, RuleTally* tally = nullptr);

// The order of findings in every output.
void sort_findings(std::vector<model::Finding>& findings);

}  // namespace frx::detect
