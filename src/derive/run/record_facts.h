// The record of a run as the numbers that the labels of a run ask for.
#pragma once

#include <span>
#include <string>

#include "model/run_facts.h"
#include "model/run_record.h"

namespace frx::derive {

// Over these steps (only completed ones count) and all samples. What was not recorded is absent.
model::RunFacts facts_of(const model::RunRecord& record, std::span<const model::RunStep> steps);

// input_bound, copy_bound, sync_bound: what took most time; compute_bound when only phases are known; unknown.
std::string dominant_stall(const model::RunRecord& record, std::span<const model::RunStep> steps);

}  // namespace frx::derive
