// The rules of static analysis in data/code_rules: one file per rule, one folder per kind of code.
//
//   id: uncoalesced_access
// order: 1                            # in the list of docs/contract.md; decides between equals
//   scope: kernel                       # or launch, occupancy
//   category: memory
//   severity: medium                    # low, medium, high
//   confidence: medium
//   tier: pedantic                      # shown with --pedantic only, or where a compiler confirms it; without this line it is always shown
//   pedantic_when: wasted_sector_share < 0.25    # of that tier only where this holds
//   once_per_analysis: true             # yet one finding of that tier is always shown, and says how many more there are
//   unconfirmed_when: local_var_count <= 48      # shown only where a compiler or another layer confirms it
//   message: neighbouring threads are {lane_stride_bytes} bytes apart     # {fact} is filled in; {loads:load} is "2 loads"
//   suggestion: index so that threadIdx.x moves by one element
//   refute: the PTX or a profile shows 4 sectors per request
//   when: strided_or_pitched and global_access_count >= 1                # over the facts of data/facts
//   at: strided_or_pitched              # the fact whose places the finding points at; else the kernel
//   recommendations: [rec_ncu_improve_coalescing]
// ncu_signals: global_load_sectors_per_request > 4 sector/request      # the corresponding evidence of a profile, over data/metrics
// architecture_overrides: {sm_90: {when: ..., message: ..., severity: low}}   # replace the values above
//   cases: [...]                        # its own tests, read by tests/meta
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/code_facts.h"
#include "knowledge/expression.h"
#include "knowledge/library.h"
#include "model/finding.h"

namespace frx::knowledge {

struct CodeRule : model::FindingType {
  std::string_view confidence, message, at;
  model::CodeSubject::Scope scope = model::CodeSubject::Scope::kernel;
  model::Severity severity = model::Severity::low;
  Expression when, pedantic_when, unconfirmed_when;  // the last two may be empty
  std::vector<std::string_view> recommendations;
  struct Override {
    Expression when;           // empty: as above
    std::string_view message;  // "": as above
    std::vector<std::string_view> recommendations;
    std::optional<model::Severity> severity;
  };
  std::map<std::string_view, Override> architectures;  // by "sm_90"
  Value ncu_signals, cases;
};

// The condition under `key`, over the names of `scope`. Fails, naming file and line, when there is none.
Result<Expression> read_condition(const Value& root, const Scope& scope, std::string_view key = "when");

class CodeRules {
 public:
  // `kind` is "cuda", "ptx" or "cubin". Fails, naming file and line, on an invalid rule.
  static Result<CodeRules> load(const Library& library, std::string_view kind);
  static Result<CodeRules> load(const Library& library, std::string_view kind, const CodeFactCatalogue& facts);

  const std::vector<CodeRule>& all() const { return rules_; }  // by `order`, then id
  const CodeRule* with_id(std::string_view id) const;

 private:
  std::vector<CodeRule> rules_;
};

}  // namespace frx::knowledge
