// Candidates that combine actions of several families.
#pragma once

#include <vector>

#include "knowledge/tuning.h"
#include "report/tune/candidates.h"

namespace frx::report {

// Adds them to the documented candidates of the focus: at most one action of each family that the focus combines and the settings allow, at
// least two together, at least one of which is a candidate by itself. At most `most_combinations` of data/tuning/focus.yaml, those of few
// actions first.
void add_combinations(const knowledge::TuningFocus& focus, const TuneQuestion& question, const knowledge::Tuning& tuning,
                      std::vector<TuneCandidate>& candidates);

}  // namespace frx::report
