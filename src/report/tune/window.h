// The steps of a run inside its window, as numbers.
#pragma once

#include <optional>
#include <span>

#include "knowledge/tuning.h"
#include "model/gpu_sample.h"
#include "model/step_table.h"
#include "report/tune/tune_trial.h"

namespace frx::report {

// Fills in what steps tell of a run: its scope, step count and times, throughput, batch size, losses and dominant stall. Completed steps by
// their numbers, without the first warmup_steps, at most measurement_steps of them; where none is left, those after warming up
// (steady_state), else all (run). Without steps nothing is known, and the scope is "".
void measure_window(const model::StepTable& table, const TuneWindow& window, TuneRun& run);

// The same of run.steps alone; the dominant stall stays what it is.
void measure_steps(const TuneWindow& window, TuneRun& run);

// GPU utilisation while the steps of the table ran, and the peak of GPU memory at any time; what no sample tells stays as it is.
void measure_gpus(std::span<const model::GpuSample> samples, const model::StepTable& table, TuneRun& run);

// The most frequent batch size of the steps, the larger of equally frequent ones; absent where no step has one.
std::optional<double> usual_batch_size(const model::StepTable& table);

// Whether the inputs of the steps in the window change their shapes (data/tuning/limits.yaml); absent where shapes were not recorded.
std::optional<bool> has_dynamic_shapes(const model::StepTable& table, const TuneWindow& window, const knowledge::Tuning& tuning);

}  // namespace frx::report
