// The actions of a family (data/tuning/families) for one machine and one program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knowledge/tuning.h"
#include "report/tune/candidates.h"

namespace frx::report {

struct FamilyAction {
  TuneAction action;
  std::string label;
  std::vector<std::pair<std::string, std::string>> words;  // those of its pattern, with their values
  bool combines = true;                                    // takes part in combinations of several families

  bool has_words(const knowledge::TuningWords& wanted) const;
};

// In the order of the file, none twice; those that may be offered. A batch of unknown size has no multiples.
std::vector<FamilyAction> actions_of(const knowledge::TuningFamily& family, const TuneQuestion& question, const knowledge::Tuning& tuning);

}  // namespace frx::report
