// The parts of a step that the facts of a run are shares of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/run_facts.h"
#include "model/step_table.h"

namespace frx::derive::steps {

// Nanoseconds of the step behind one of the facts `*_fraction`; none where it was not recorded. With the times of a GPU (not null)
// parts are what they cost it: what ran at the same time is not counted twice. Without, they are what the program waited for.
std::optional<std::int64_t> part_of(const model::StepTable& table, const model::GpuSteps* gpu, model::RunFact fraction, std::size_t step);

// `part` of `whole`, from 0 to 1; 0 of nothing.
double share(std::int64_t part, std::int64_t whole);

// How much of a step the first GPU was busy. Without times of a GPU, as documented: the share of the phases that the program names,
// of the step without the wait before it; none when it names none.
std::optional<double> gpu_active(const model::StepTable& table, std::size_t step);

}  // namespace frx::derive::steps
