// A trace as the numbers that the labels of a run ask for.
#pragma once

#include <vector>

#include "derive/trace/breakdown.h"
#include "model/run_facts.h"

namespace frx::derive::trace {

// A range of steps, by index, the same for each process.
struct StepRange {
  std::size_t begin = 0, end = SIZE_MAX;
};

// The facts of one process and one of its GPUs; `gpu` is null when the process recorded none. Means over the steps of the range.
model::RunFacts facts_of(const ProcessTimes& process, const GpuTrack* gpu, StepRange range);

// Of all of them: the mean over processes and GPUs, so that one busy GPU does not hide seven idle ones, nor one idle GPU
// seven busy ones: each is also judged alone.
model::RunFacts facts_of(const std::vector<ProcessTimes>& processes, const model::Timeline& timeline, StepRange range);

}  // namespace frx::derive::trace
