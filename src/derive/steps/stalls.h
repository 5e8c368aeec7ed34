// The dominant stall of the steps of a run, and the steps it is worst in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/run_facts.h"
#include "model/step_table.h"

namespace frx::derive::steps {

// input_bound, copy_bound, sync_bound or communication_bound: the largest share of what the steps lost, from 5 % on; else
// compute_bound when kernels computed; else unknown.
std::string dominant_stall(const model::RunFacts& facts);

// The same of the completed steps without the first `skipped`. Of steps that the program itself recorded, as in docs/contract.md: the
// largest sum, however small; compute_bound when only phases are known. Of those of a trace, of `facts`.
std::string dominant_stall(std::span<const model::StepTable> tables, const model::RunFacts& facts, std::size_t skipped);

// The steps in which a label of a run holds most, with the value of each (docs/contract.md): at most three, the worst first; for a change
// of shapes all steps that changed. Values are above 0.
std::vector<model::StepValue> worst_steps(std::span<const model::StepTable> tables, std::size_t skipped, std::string_view label);

}  // namespace frx::derive::steps
