// Whether the shapes of the model's inputs change from one step to the next.
//
// Within a step an operator is called with many shapes, one for each layer; therefore the same call is compared in two steps. Calls are
// those of operators that do a model's work (convolutions, matrix products, embeddings, attention, recurrent layers), the
// outermost of them, on the thread of the step, outside of the data loader: clipping, averaging and optimizers go through the
// weights, whose shapes never change. The n-th call of an operator is the same call in a step that calls it as often.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "derive/trace/intervals.h"
#include "derive/trace/steps.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct StepShapes {
  std::uint32_t calls = 0;  // with shapes
  // Compared with the previous step, and with the one before it. The inputs changed when the first call and half of all calls did.
  // None: less than half of the calls are in both steps.
  std::optional<bool> changed, changed_from_second;
};

// How the first call of a step differs from that of the step before. Texts as the file has them; "" when they are too long.
struct ShapeChange {
  std::int64_t from_step = 0, to_step = 0;
  std::string operation, before, after;
};

struct ModelShapes {
  std::vector<StepShapes> steps;  // by step; empty when no shapes were recorded
  std::optional<ShapeChange> last_change;
};

// Does a model's work, rather than moving or updating something?
bool works_for_model(std::string_view operation);

// `input`: waiting for the data loader, whose own operators are not the model's. O(n log n) in the number of calls.
ModelShapes model_shapes(const model::Timeline& timeline, const Steps& steps, std::span<const Interval> input);

struct ShapeVolatility {
  double ratio = 0;  // changes, of the pairs of steps that could be compared
  std::size_t changes = 0, pairs = 0;
  // All changes are one: a step with other shapes than those around it (the last batch of an epoch mostly is smaller), or a
  // switch for good. It does not count as volatile: the ratio is 0.
  bool is_single = false;
};

// For these steps; none when there is nothing to compare, when most pairs cannot be compared, and for a single change with no equal
// pair beside it.
std::optional<ShapeVolatility> volatility_of(std::span<const StepShapes> steps);

}  // namespace frx::derive::trace
