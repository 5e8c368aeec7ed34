// Two profiles of the same work, before and after a change: which readings changed, and whether it is faster.
//
// Kernel time decides when both sides have it; bottlenecks explain. A side that was not measured is
// never scored: missing is "not comparable".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/ncu_times.h"
#include "report/prediction_scores.h"
#include "report/report.h"

namespace frx::report {

struct MetricDelta {
  std::string key, label, unit;
  std::optional<double> baseline, optimized;
  std::optional<double> delta;  // optimized - baseline, when both are there
  std::string direction;        // improved, regressed, neutral, or "" when one side is missing
};

struct NcuComparison {
  std::string label_baseline, label_optimized;
  const NcuReport* baseline = nullptr;
  const NcuReport* optimized = nullptr;
  std::vector<std::string> resolved, appeared, persistent, improved;
  std::map<std::string, double> score_deltas;  // of persistent labels
  std::vector<MetricDelta> metrics;
  std::optional<double> baseline_us, optimized_us, speedup;
  ProfileJudgement judgement;
  std::string bottleneck_outcome;    // improved, regressed, mixed, neutral
  std::string outcome;               // improved, regressed, mixed, neutral
  std::string basis;                 // kernel_gpu_time or bottleneck_diff
  PredictionScores predictions;      // of the advice about the baseline
  std::vector<std::string> caveats;  // reasons why the two may not be comparable
};

NcuComparison compare(const NcuReport& baseline, const NcuReport& optimized, std::string label_baseline, std::string label_optimized,
                      std::optional<derive::compare::BaselineSpread> baselines = {});

}  // namespace frx::report
