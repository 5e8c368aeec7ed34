// The weights for comparing two implementations: data/compare/scorecard.yaml.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "model/finding.h"

namespace frx::knowledge {

struct ScoreDimension {
  std::string_view id, display;
  double weight = 0;
  std::vector<std::string_view> cuda, ptx;  // rules with findings that count
};

// A rule that scores nothing, and why.
struct UnscoredRule {
  std::string_view rule, why;
  bool is_remark = false;  // describes code without being a fault
};

struct Scorecard {
  std::vector<ScoreDimension> dimensions;
  double tie_band = 0;
  std::array<double, 3> severity_penalty{}, confidence_share{};  // low, medium, high
  double reads_ignored_below = 0, reads_halved_at = 0;           // ratios of what two sides read from global memory
  double registers_full = 0, registers_none = 0, spill_penalty = 0;
  std::vector<std::string_view> correctness;  // rules that make a result possibly wrong
  std::vector<UnscoredRule> unscored;

  // Share of the score that a finding subtracts, 0 to 1.
  double penalty_of(const model::Finding& finding) const;
  bool is_about_correctness(std::string_view rule) const;
  // nullptr for a rule that scores.
  const UnscoredRule* unscored_rule(std::string_view rule) const;

  // Views point into the library. Fails, naming file and line, on an invalid scorecard.
  static Result<Scorecard> load(const Library& library);
};

}  // namespace frx::knowledge
