// The parts of a step that the facts of a run are shares of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/run_facts.h"
#include "model/step_table.h"

namespace frx::derive::steps {

// Nanoseconds of the step for one of the facts `*_fraction`; absent where it was not recorded. With the times of a GPU (not null) parts are
// their cost on it: concurrent parts are not counted twice. Otherwise they are the waits of the program.
std::optional<std::int64_t> part_of(const model::StepTable& table, const model::GpuSteps* gpu, model::RunFact fraction, std::size_t step);

// `part` of `whole`, from 0 to 1; 0 when `whole` is 0.
double share(std::int64_t part, std::int64_t whole);

// How much of a step the first GPU was busy. Without times of a GPU, as in docs/contract.md: the share of the phases that the program
// names, of the step without the wait before it; absent when it names none.
std::optional<double> gpu_active(const model::StepTable& table, std::size_t step);

}  // namespace frx::derive::steps
