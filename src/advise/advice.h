// The advice for a diagnosed profile: ranked recommendations, each with its bottleneck, an upper bound of the time it saves, and how to
// check it on the next run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/catalogue.h"
#include "advise/engine.h"
#include "diagnose/diagnosis.h"
#include "knowledge/knowledge.h"

namespace frx::advise {

struct ValidationStep {
  std::string_view metric;  // the counter
  model::Metric reading;
  std::string_view label;
  std::string_view direction;  // decrease, increase, stable
  std::optional<double> threshold_good;
  std::string_view expected;
  std::optional<double> current_value;  // measured or derived in this run
  std::string_view unit;                // of current_value
};

// A prediction of the card about the kernel it is given for.
struct Forecast {
  const Prediction* prediction = nullptr;
  std::optional<double> now;   // of one launch; absent: not measured
  std::optional<Bound> bound;  // absent: no prediction, because a value is missing or no gain is left
};

struct Recommendation {
  std::string_view id;
  std::string_view title;
  std::string_view priority;
  double score = 0;
  double roi_score = 0;
  std::string_view tier;
  double confidence = 0;
  std::string_view expected_impact;
  // A share of the time of the run; capped by the time at stake in the file.
  std::optional<double> estimated_speedup_pct_min;
  std::optional<double> estimated_speedup_pct_max;
  std::string_view effort;
  std::string_view risk;
  std::string_view category;
  std::string_view why;      // why the card helps
  std::string_view because;  // the evidence in the profile: the words of the rule
  std::vector<std::string_view> why_ranked;
  Components roi_components;
  std::vector<std::string_view> guardrails_applied;
  std::vector<std::pair<std::string_view, std::string_view>> prerequisites;
  std::vector<std::string_view> actions;
  std::vector<std::string_view> validation;
  std::vector<ValidationStep> validation_steps;
  std::vector<Forecast> predictions;  // none without a kernel
  std::vector<std::string_view> risks;
  std::string_view triggered_by;  // id of the rule

  std::string_view label;                   // the bottleneck it is for
  std::string_view kernel;                  // where that bottleneck weighs most
  std::optional<double> time_at_stake_ns;   // upper bound of what a perfect fix saves
  std::optional<double> speedup_bound_pct;  // the same as a speed-up of the run
  std::vector<std::string> notes;
};

// The texts of the card and the rule, without measured values.
Recommendation described(const Proposal& proposal);

struct Advice {
  std::vector<Recommendation> recommendations;  // best first
  std::vector<Bundle> bundles;
  std::vector<Withheld> withheld;
  std::string validation_command;  // one line for a shell, "" when no step names a counter
};

// The counters of validation steps and predictions, each once.
std::vector<std::string> counters_to_validate(std::span<const Recommendation> recommendations);

// The cards for these bottlenecks, as they are in the catalogue: no measured values are added.
Advice advice_for(const Catalogue& catalogue, std::span<const Diagnosed> diagnosed);

// The result points into the run, the catalogue and `knowledge`.
Result<Advice> advise(const diagnose::RunDiagnosis& run, const Catalogue& catalogue, const knowledge::Knowledge& knowledge);

// 100 * (T / (T - stake) - 1), nullopt when there is no bound.
std::optional<double> speedup_bound_pct(double total, double at_stake);

}  // namespace frx::advise
