// How busy and how full GPUs were, as they were sampled while steps ran.
#pragma once

#include <cstdint>
#include <span>

#include "model/gpu_sample.h"
#include "model/run_facts.h"
#include "model/step_table.h"

namespace frx::derive::steps {

// Nanoseconds of the clock of the machine; both ends are inside.
struct TimeFrame {
  std::int64_t begin = INT64_MIN, end = INT64_MAX;
};

// From the begin of the first completed step behind the `skipped` ones to the end of the last one; all time where they do not say.
TimeFrame time_frame(std::span<const model::StepTable> tables, std::size_t skipped);

// How busy a GPU was is asked of the frame alone, not of starting up before it; memory that was full once is. GPUs that never did
// anything beside another that did belong to somebody else and are left out. Times that a trace measured are better than
// samples and stay.
void add_samples(std::span<const model::GpuSample> samples, TimeFrame frame, model::RunFacts& facts);

}  // namespace frx::derive::steps
