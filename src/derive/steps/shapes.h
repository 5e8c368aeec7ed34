// How often the shapes of inputs change from one step to the next.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/step_table.h"

namespace frx::derive::steps {

struct ShapeVolatility {
  double ratio = 0;  // changes, of the pairs of steps that could be compared
  std::size_t changes = 0, pairs = 0;
  // Of a trace: all changes are one, because a step has other shapes than its neighbours (the last batch of an epoch usually is smaller),
  // or because they changed permanently. It does not count as volatile: the ratio is 0.
  bool is_single = false;
};

// Of these steps; absent when no shapes were recorded, or when they are inconclusive.
std::optional<ShapeVolatility> volatility_of(const model::StepTable& table, std::span<const std::size_t> rows);

// Of batches that the program itself described, as in docs/contract.md: every change counts, and one step alone has a ratio of 0.
std::optional<ShapeVolatility> volatility_of_batches(std::span<const model::StepShapes> steps);

// Of calls of operators, which show the batch in a trace. Absent when most pairs cannot be compared, and for a single change with no equal
// pair beside it.
std::optional<ShapeVolatility> volatility_of_calls(std::span<const model::StepShapes> steps);

}  // namespace frx::derive::steps
