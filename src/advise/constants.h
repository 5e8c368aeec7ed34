// The constants of the ranking of recommendations: data/recommendations/engine.yaml.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/result.h"

namespace frx::advise {

// A row of a table that is read from the top: the first row whose limit applies decides.
template <typename T>
struct Row {
  double limit = 0;
  T value{};
};

using Words = std::map<std::string_view, std::string_view>;
using Weights = std::map<std::string_view, double>;

struct Tier {
  std::string_view name;
  double score = 0;
  double ease = 0;
  double safety = 0;
};

struct Equivalent {
  std::string_view keep;
  std::string_view drop;
};

struct Dependency {
  std::string_view dependent;
  std::string_view after;
};

struct Constants {
  std::map<std::string_view, std::pair<double, double>> default_speedup_pct;  // by impact
  std::vector<Row<double>> speedup_steps;                                     // below limit
  double speedup_above = 0;
  std::vector<Row<double>> exposure_by_gpus;  // from limit on
  double cost_speedup = 0;
  double cost_exposure = 0;
  Weights ease;
  double ease_unknown = 0;
  Weights safety;
  Weights safety_by_risk;
  Words risk_by_safety;

  double weight_speedup = 0;
  double weight_confidence = 0;
  double weight_cost = 0;
  double weight_ease = 0;
  double weight_safety = 0;
  double boost_cap = 0;
  int score_digits = 4;

  struct {
    double confidence_below = 0, factor = 1;
  } low_confidence;
  struct {
    double safety_below = 0, speedup_below = 0, factor = 1;
  } risk;
  double unverified_factor = 1;
  double dependency_gap = 0;

  std::vector<Row<std::string_view>> priority;  // from limit on
  std::vector<Tier> tiers;
  std::string_view last_tier;

  std::vector<Equivalent> equivalents;
  std::vector<Dependency> dependencies;

  std::size_t bundle_min = 2;
  Words bundle_labels;  // by category

  std::map<std::string_view, std::vector<Row<std::string_view>>> why_ranked;  // by component
  std::string_view why_generic;
  Words why_guardrail;
};

Result<Constants> read_constants(const Value& root);

Result<double> read_number(const Value& parent, std::string_view key);
Result<std::string_view> read_text(const Value& parent, std::string_view key);

}  // namespace frx::advise
