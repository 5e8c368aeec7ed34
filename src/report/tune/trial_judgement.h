// What may be wrong with a trial, by the guards and the quality gates. Sentences without full stop.
#pragma once

#include "report/tune/tune_report.h"

namespace frx::report {

// Adds what the guards find to the failures, and what could not be assessed to the notes. Its throughput_delta is known before.
void apply_guards(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial);
// The same of losses and outputs.
void apply_quality_gates(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial);

}  // namespace frx::report
