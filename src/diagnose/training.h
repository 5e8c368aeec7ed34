// The diagnosis of a run of steps: the labels that hold, ranked, the cause of a symptom, and the confidence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/run_labels.h"
#include "model/finding.h"
#include "model/run_facts.h"

namespace frx::diagnose {

// The amount of data; little of it lowers the confidence.
struct RunSample {
  std::size_t steps = 0;
  bool has_boundaries = true;  // false: the whole recording was taken as one step
  bool clock_broken = false;
};

struct TrainingDiagnosis {
  std::vector<model::Finding> findings;  // that hold, ranked
  std::vector<model::Finding> others;    // clear or inconclusive, in the order of the labels
  std::string primary;                   // id of a label; "inconclusive" or "" without any
  std::string user_facing;               // the cause when the primary is a symptom
  std::string dominant_stall;            // input_bound, copy_bound, sync_bound, compute_bound, unknown
  double confidence = 0;                 // 0 to 1
  std::string_view confidence_level;     // high, medium, low
  std::string confidence_reason;
  std::vector<std::string> why, why_not_others;
  std::string thresholds_source, thresholds_hash;  // as in docs/contract.md

  const model::Finding* with_id(std::string_view id) const { return find_finding(findings, id); }
};

// `dominant_stall`: the stall that takes most time, as above.
TrainingDiagnosis diagnose_run(const knowledge::RunLabels& labels, const model::RunFacts& facts, std::string dominant_stall,
                               const RunSample& sample);

}  // namespace frx::diagnose
