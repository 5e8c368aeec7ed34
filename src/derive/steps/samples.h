// Utilisation and memory use of GPUs, sampled while steps ran.
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

// From the begin of the first completed step after the `skipped` ones to the end of the last one; all time where they do not say.
TimeFrame time_frame(std::span<const model::StepTable> tables, std::size_t skipped);

// The utilisation of a GPU is taken from the frame alone, not from the start-up before it; a memory peak counts at any time. GPUs that were
// never busy beside another that was belong to other users and are left out. Times measured by a trace take precedence over samples.
void add_samples(std::span<const model::GpuSample> samples, TimeFrame frame, model::RunFacts& facts);

}  // namespace frx::derive::steps
