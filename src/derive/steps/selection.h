// Which steps of a table count, and how long they took.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/step_table.h"

namespace frx::derive::steps {

// The rows of steps that were completed, without the first `skipped` of them.
std::vector<std::size_t> completed_rows(const model::StepTable& table, std::size_t skipped = 0);

// Two steps are warm-up (docs/contract.md); they are left out only where at least three remain.
inline constexpr std::size_t steps_of_warm_up = 2, least_steady_steps = 3;

// How many steps at the beginning are left out as warming up. 0 where too few remain on the process with most steps.
std::size_t warm_up_steps(std::span<const model::StepTable> tables);

// Means over the completed steps.
struct StepTimes {
  std::size_t steps = 0;
  double wall_ns = 0, total_ns = 0;  // total: with the wait for the loader before the step
  std::int64_t longest_ns = 0;       // wall
  double per_second() const { return 1e9 / total_ns; }
};
// Absent when no step is left.
std::optional<StepTimes> step_times(const model::StepTable& table, std::size_t skipped);

// Of the same steps, each from the request to its loader to its end; nanoseconds.
std::vector<double> total_times(const model::StepTable& table, std::size_t skipped);

// Samples in a batch; absent unless all of these steps have the same.
std::optional<double> common_batch(const model::StepTable& table, std::size_t skipped);

}  // namespace frx::derive::steps
