#include "derive/steps/shapes.h"

#include <algorithm>
#include <vector>

namespace frx::derive::steps {

using model::StepShapes;

std::optional<ShapeVolatility> volatility_of_batches(std::span<const StepShapes> steps) {
  ShapeVolatility result;
  bool any = false;
  for (const StepShapes& step : steps) {
    if (!step.changed) continue;
    result.pairs += any;
    result.changes += any && *step.changed;
    any = true;
  }
  if (!any) return std::nullopt;
  if (result.pairs > 0) result.ratio = static_cast<double>(result.changes) / static_cast<double>(result.pairs);
  return result;
}

std::optional<ShapeVolatility> volatility_of_calls(std::span<const StepShapes> steps) {
  ShapeVolatility result;
  std::vector<std::size_t> changes;
  std::size_t unlike = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    result.pairs += steps[i].changed.has_value();
    unlike += !steps[i].changed && steps[i].calls > 0 && steps[i - 1].calls > 0;
    if (steps[i].changed.value_or(false)) changes.push_back(i);
  }
  // Loops over the length of an input call operators with different frequency: the pairs that are alike would represent all.
  if (result.pairs == 0 || unlike > result.pairs) return std::nullopt;
  result.changes = changes.size();
  // A change and its reversal.
  const bool returns = changes.size() == 2 && changes[1] == changes[0] + 1 && steps[changes[1]].changed_from_second == false;
  result.is_single = changes.size() == 1 || returns;
  if (changes.size() == 1 && result.pairs == 1) return std::nullopt;
  result.ratio = result.is_single ? 0 : static_cast<double>(result.changes) / static_cast<double>(result.pairs);
  return result;
}

std::optional<ShapeVolatility> volatility_of(const model::StepTable& table, std::span<const std::size_t> rows) {
  if (table.shapes.empty()) return std::nullopt;
  std::vector<StepShapes> steps;
  steps.reserve(rows.size());
  for (const std::size_t row : rows) steps.push_back(table.shapes[row]);
  return table.source == model::StepSource::program ? volatility_of_batches(steps) : volatility_of_calls(steps);
}

}  // namespace frx::derive::steps
