// Steps as the facts that the labels of a run use.
#pragma once

#include <span>

#include "model/gpu_sample.h"
#include "model/run_facts.h"
#include "model/step_table.h"

namespace frx::derive::steps {

// Of one process and one of its GPUs; `gpu` null: none was recorded. Means over the completed steps without the first `skipped`.
model::RunFacts facts_of(const model::StepTable& table, const model::GpuSteps* gpu, std::size_t skipped);

// Of a run: the mean over processes and GPUs, so that one busy GPU does not hide seven idle ones, nor one idle GPU seven busy ones: each is
// also evaluated alone. `samples`: of all its GPUs. Values that were not recorded are absent.
model::RunFacts facts_of(std::span<const model::StepTable> tables, std::span<const model::GpuSample> samples, std::size_t skipped);

}  // namespace frx::derive::steps
