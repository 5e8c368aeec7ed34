// The rules of static analysis in data/code_rules: one file per rule, one folder per kind of code.
//
//   id: uncoalesced_access
//   order: 1                            # of the documented list; decides between equals
//   scope: kernel                       # or launch, occupancy
//   category: memory
//   severity: medium                    # low, medium, high
//   confidence: medium
//   message: neighbouring threads are {lane_stride_bytes} bytes apart     # {fact} is filled in; {loads:load} is "2 loads"
//   suggestion: index so that threadIdx.x moves by one element
//   refute: the PTX or a profile shows 4 sectors per request
//   conditions: {strided_or_pitched: true, global_access_count_gte: 1}    # all of them; _gte _gt _lte _lt compare
//   at: strided_or_pitched              # the fact whose places the finding points at; else the kernel
//   recommendations: [rec_ncu_improve_coalescing]
//   ncu_signals: {sectors_per_request_gt: 4}                              # what a profile would show
//   architecture_overrides: {sm_90: {conditions: {...}, message: ..., severity: low}}   # replace what stands above
//   cases: [...]                        # its own tests, read by tests/meta
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "model/code_finding.h"

namespace frx::knowledge {

struct CodeCondition {
  enum Compare : std::uint8_t { equal, at_least, above, at_most, below };

  std::string_view fact;
  Compare compare = equal;
  std::variant<bool, double, std::string_view> value;
};

struct CodeRule {
  std::string_view id, category, confidence, message, suggestion, refute, at;
  model::CodeSubject::Scope scope = model::CodeSubject::Scope::kernel;
  model::Severity severity = model::Severity::low;
  double order = 0;
  std::vector<CodeCondition> conditions;
  std::vector<std::string_view> recommendations;
  struct Override {
    std::vector<CodeCondition> conditions;  // empty: as above
    std::string_view message;               // "": as above
    std::vector<std::string_view> recommendations;
    std::optional<model::Severity> severity;
  };
  std::map<std::string_view, Override> architectures;  // by "sm_90"
  Value ncu_signals, cases;
  std::string where;
};

// The conditions of a map, all of which must hold: {fact: value, other_gte: 3}.
Result<std::vector<CodeCondition>> read_code_conditions(const Value& map);

class CodeRules {
 public:
  // `kind` is "cuda" or "ptx". Fails, naming file and line, on what is no rule.
  static Result<CodeRules> load(const Library& library, std::string_view kind);

  const std::vector<CodeRule>& all() const { return rules_; }  // by `order`, then id
  const CodeRule* with_id(std::string_view id) const;

 private:
  std::vector<CodeRule> rules_;
};

}  // namespace frx::knowledge
