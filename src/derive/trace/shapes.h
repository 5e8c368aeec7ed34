// Whether the shapes of the model's inputs change from one step to the next.
//
// Within a step an operator is called with many shapes, one for each layer; therefore the same call is compared in two steps. Calls are
// those of operators that do a model's work (convolutions, matrix products, embeddings, attention, recurrent layers), the outermost of
// them, on the thread of the step, outside of the data loader: clipping, averaging and optimizers iterate over the weights, whose shapes
// never change. The n-th call of an operator is the same call in a step with as many calls of it. The inputs of a step changed when its
// first call did, and half of all its calls; less than half in both steps cannot be compared.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/intervals.h"
#include "derive/trace/steps.h"
#include "model/step_table.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct ModelShapes {
  std::vector<model::StepShapes> steps;  // by step; empty when no shapes were recorded
  std::optional<model::ShapeChange> last_change;
};

// Does it do a model's work, rather than moving or updating data?
bool works_for_model(std::string_view operation);

// `input`: waiting for the data loader, whose own operators are not the model's. O(n log n) in the number of calls.
ModelShapes model_shapes(const model::Timeline& timeline, const Steps& steps, std::span<const Interval> input);

}  // namespace frx::derive::trace
