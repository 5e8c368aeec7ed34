// What a summary of a run tells beyond its steps (derived/summary.json, which a program may also write itself).
//
//   {"run": {"step_count": 25, "run_summary": {"throughput_steps_per_sec": 4.8, "memory_pressure_peak_ratio": 0.7},
//            "quality": {"validation_loss": 0.61, "max_output_abs_diff": 0.0002}}}
//
// The scopes are measurement_window, steady_state, run, and the whole file (bare), of which the first that tells something counts.
#pragma once

#include <string_view>

#include "base/result.h"
#include "report/tune/tune_trial.h"

namespace frx::report {

// Called after measure_window(). Numbers of quality are always taken; throughput, step count and losses only where no steps are known, GPU
// figures and the stall only where the run has none. A zero that such a file states for what its writer did not measure is none. Malformed:
// not an object of JSON.
Result<> take_summary(std::string_view content, TuneRun& run);

}  // namespace frx::report
