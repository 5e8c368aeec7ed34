// How the diagnosis agrees with the rules of Nsight Compute itself, in profiles that hold both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace frx::corpus {

// A cause that the profiler's rules name, and our labels for it.
struct RuleCause {
  std::string_view name;
  std::string_view rule, words;  // of which rule, "" for any (text pages do not name it), and words of its text
  std::vector<std::string_view> labels;
};
const std::vector<RuleCause>& rule_causes();

// By cause: what became of the kernels that a rule of the profiler speaks of.
struct RuleAgreement {
  std::uint64_t kernels = 0;
  std::uint64_t leads = 0;     // one of our labels for it leads
  std::uint64_t detected = 0;  // holds, and another leads
  std::uint64_t unknown = 0;   // "cannot tell": counters are missing
  std::uint64_t denied = 0;    // measured, and not found
  // Of those with an estimate of the whole kernel, and time at stake of ours.
  std::uint64_t estimates = 0, bounds_above = 0;  // ours is at least its estimate
};

struct RuleAgreements {
  std::vector<RuleAgreement> by_cause;  // in the order of rule_causes()
  std::uint64_t files = 0, rules = 0, unmatched = 0;
  // Spearman's correlation of its estimates of the whole kernel with our time at stake over all pairs of one kernel; of so many.
  double rank_correlation = 0;
  std::uint64_t ranked = 0;
};

// Of the profiles in `corpus`/ncu and `corpus`/ncurep.
RuleAgreements profiler_rule_agreements(const std::filesystem::path& corpus);
// docs/validation/profiler-rules.md
std::string profiler_rules_page(const RuleAgreements& agreements);

}  // namespace frx::corpus
