// The labels of a run (data/run_labels): condition, score and texts of each one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/expression.h"
#include "knowledge/labels.h"
#include "knowledge/library.h"
#include "knowledge/thresholds.h"
#include "model/run_facts.h"

namespace frx::knowledge {

// Its `why` is one or more sentences; {fact} and {fact_pct} are filled in.
struct RunLabel : model::FindingType {
  Expression when, score;
  Expression lost;                                                    // share of a step that it takes, where that is not the score
  std::vector<std::pair<std::string_view, model::RunFact>> evidence;  // key of docs/contract.md, fact
  std::string_view stall;                                             // the dominant stall type that agrees with it, usually its own id
  std::string_view why_timed;                                         // replaces `why` where the times of the GPU are known
  std::string_view missing;                                           // evidence that would decide, when it is inconclusive
  Value cases;
};

class RunLabels {
 public:
  // Fails, naming file and line, on an invalid label. `own`: thresholds of the user by their names in docs/contract.md.
  static Result<RunLabels> load(const Library& library, const std::map<std::string, double>& own = {});

  const std::vector<RunLabel>& all() const { return labels_; }  // by order
  const RunLabel* with_id(std::string_view id) const;
  const Thresholds& thresholds() const { return thresholds_; }
  // The operands of conditions and scores: facts of the run, thresholds.
  Lookup lookup(const model::RunFacts& facts) const;

 private:
  Thresholds thresholds_;
  std::vector<RunLabel> labels_;
};

// {input_fraction} as 0.412, {input_fraction_pct} as 41; "?" for what is unknown.
std::string filled(std::string_view words, const model::RunFacts& facts);

}  // namespace frx::knowledge
