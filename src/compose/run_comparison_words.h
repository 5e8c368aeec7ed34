// What a comparison says, in sentences that the terminal and Markdown share.
#pragma once

#include <string>

#include "report/run_comparison.h"

namespace frx::compose {

// "B is faster: a step takes 0.42 of the time of A (99 % sure: 0.40 to 0.45)".
std::string verdict_sentence(const report::RunComparison& comparison);
// What would tell, when one cannot; "" otherwise.
std::string what_would_tell(const report::RunComparison& comparison);
// "12 steps of 120.4 ms (median)", "no steps".
std::string steps_of(const report::ComparedRun& run);

}  // namespace frx::compose
