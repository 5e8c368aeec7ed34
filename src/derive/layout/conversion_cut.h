// Where to convert between two layouts, once and for all, so that a program pays least: the exact answer for a graph of operators.
//
// Each operator works in one of two layouts and has a cost for each, infinite for one that it does not accept. A tensor goes from one
// operator to several; where one of them works in another layout than its producer the tensor is converted, once for all that need it. The
// cheapest choice is a minimum cut: of the graph that has a node for each operator and two for each tensor, "is needed in channels-last"
// and "is needed contiguous". An infinite edge joins these with each consumer, so that what is paid for a tensor is paid once.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace frx::derive::layout {

enum class TensorLayout : std::uint8_t { contiguous, channels_last };

// Bytes or nanoseconds. Costs are whole, so that sums of them are exact in any order.
using ConversionCost = std::uint64_t;
inline constexpr ConversionCost forbidden = std::numeric_limits<ConversionCost>::max();

struct ConvertingOperator {
  ConversionCost contiguous = 0, channels_last = 0;  // of working in that layout
};

struct ConvertedTensor {
  std::uint32_t producer = 0;
  std::vector<std::uint32_t> consumers;
  ConversionCost to_contiguous = 0, to_channels_last = 0;
};

struct ConversionProblem {
  std::vector<ConvertingOperator> operators;
  std::vector<ConvertedTensor> tensors;
};

struct ConversionPoint {
  std::uint32_t tensor = 0;
  TensorLayout to = TensorLayout::contiguous;
};

struct ConversionPlan {
  std::vector<TensorLayout> layouts;  // by operator
  std::vector<ConversionPoint> conversions;
  ConversionCost cost = 0;  // of operators and conversions; `forbidden` where one of them is
};

// What it costs when each operator works in this layout. Linear.
ConversionPlan plan_with(const ConversionProblem& problem, std::vector<TensorLayout> layouts);
// The plan of least cost, of several equal ones that with the fewest operators in channels-last. Nothing where an operator accepts neither
// layout, or where conversions that are forbidden make every choice impossible. Finite costs above 2^40 count as that much.
std::optional<ConversionPlan> cheapest_plan(const ConversionProblem& problem);

}  // namespace frx::derive::layout
