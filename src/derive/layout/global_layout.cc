// What plans over the conversion graph cost: as recorded, everything in one layout, the least.

#include <algorithm>

#include "derive/layout/conversion_graph.h"

namespace frx::derive::layout {
namespace {

LayoutCost cost_of(const LayoutGraph& graph, const ConversionPlan& plan) {
  LayoutCost cost{static_cast<double>(plan.cost), 0, plan.conversions.size()};
  for (std::size_t i = 0; i < plan.layouts.size(); ++i) {
    if (plan.layouts[i] == graph.current[i]) {
      *cost.time_ns += graph.inside[i].time_ns;
      continue;
    }
    const ConvertingOperator& one = graph.problem.operators[i];
    const ConversionCost bytes = plan.layouts[i] == TensorLayout::contiguous ? one.contiguous : one.channels_last;
    if (bytes == 0) continue;
    if (!graph.ns_per_byte) return {cost.bytes, std::nullopt, cost.conversions};
    *cost.time_ns += static_cast<double>(bytes) * *graph.ns_per_byte;
  }
  for (const ConversionPoint& point : plan.conversions) {
    const ConvertedTensor& tensor = graph.problem.tensors[point.tensor];
    const double bytes = static_cast<double>(point.to == TensorLayout::contiguous ? tensor.to_contiguous : tensor.to_channels_last);
    const SeenThere& there = graph.between[point.tensor];
    if (there.count > 0) {
      *cost.time_ns += there.time_ns / static_cast<double>(there.count);
    } else if (graph.ns_per_byte) {
      *cost.time_ns += bytes * *graph.ns_per_byte;
    } else {
      return {cost.bytes, std::nullopt, cost.conversions};
    }
  }
  return cost;
}

LayoutCost cost_as_it_is(const LayoutGraph& graph) {
  LayoutCost cost{0, 0, 0};
  const auto add = [&](const SeenThere& there) {
    cost.bytes += there.bytes;
    *cost.time_ns += there.time_ns;
  };
  std::ranges::for_each(graph.inside, add);
  std::ranges::for_each(graph.between, add);
  for (const SeenThere& there : graph.between) cost.conversions += there.count;
  return cost;
}

// Everything in this layout that accepts it.
ConversionPlan policy(const LayoutGraph& graph, TensorLayout wanted) {
  std::vector<TensorLayout> layouts;
  for (const ConvertingOperator& one : graph.problem.operators) {
    const bool is_forbidden = (wanted == TensorLayout::contiguous ? one.contiguous : one.channels_last) == forbidden;
    const TensorLayout other = wanted == TensorLayout::contiguous ? TensorLayout::channels_last : TensorLayout::contiguous;
    layouts.push_back(is_forbidden ? other : wanted);
  }
  return plan_with(graph.problem, std::move(layouts));
}

std::vector<GlobalConversion> conversions_of(const LayoutGraph& graph, const ConversionPlan& plan) {
  std::vector<GlobalConversion> conversions;
  for (const ConversionPoint& point : plan.conversions) {
    const ConvertedTensor& tensor = graph.problem.tensors[point.tensor];
    GlobalConversion one{graph.nodes[tensor.producer], none, graph.sizes[point.tensor], point.to};
    one.bytes = static_cast<double>(point.to == TensorLayout::contiguous ? tensor.to_contiguous : tensor.to_channels_last);
    const auto first = std::ranges::find(tensor.consumers, point.to, [&](std::uint32_t consumer) { return plan.layouts[consumer]; });
    if (first != tensor.consumers.end()) one.consumer = graph.nodes[*first];
    conversions.push_back(std::move(one));
  }
  std::ranges::stable_sort(conversions, std::ranges::greater{}, &GlobalConversion::bytes);
  return conversions;
}

double confidence_of(const LayoutTrace& trace, const LayoutGraph& graph, const std::optional<double>& explained) {
  constexpr double with_strides = 0.8, without = 0.5;
  // One tensor comes from outside in any case: the input of the program.
  const double doubtful = static_cast<double>(graph.guessed_edges + std::max<std::size_t>(1, graph.outside_edges) - 1);
  const double sure = graph.edges == 0 ? 0 : std::max(0.0, 1 - doubtful / static_cast<double>(graph.edges));
  return (trace.has_strides() ? with_strides : without) * (0.5 + 0.5 * sure) * explained.value_or(1);
}

std::string reason_against(const LayoutTrace& trace, std::span<const SeenConversion> seen) {
  if (!trace.has_shapes()) return "the sizes of tensors were not recorded: record with record_shapes=True";
  const bool any =
      std::ranges::any_of(seen, [&](const SeenConversion& one) { return one.node != none && trace.nodes()[one.node].step == 0; });
  if (!trace.has_strides() && !any)
    return "strides were not recorded, and no conversion of layout was seen: record with PyTorch 2.4 or newer and record_shapes=True";
  return "";
}

}  // namespace

GlobalLayout global_layout(const LayoutTrace& trace, std::span<const SeenConversion> seen, std::optional<double> bandwidth_bytes_per_s) {
  GlobalLayout global;
  global.not_assessed = reason_against(trace, seen);
  if (!global.not_assessed.empty()) return global;
  const LayoutGraph graph = conversion_graph_of(trace, seen, bandwidth_bytes_per_s);
  if (graph.nodes.empty()) {
    global.not_assessed = "no convolution passes its result on in the first step";
    return global;
  }
  global.as_it_is = cost_as_it_is(graph);
  global.contiguous = cost_of(graph, policy(graph, TensorLayout::contiguous));
  global.channels_last = cost_of(graph, policy(graph, TensorLayout::channels_last));
  global.best = global.as_it_is;
  // Where nothing is converted there is nothing to look for.
  const std::optional<ConversionPlan> plan = global.as_it_is.bytes > 0 ? cheapest_plan(graph.problem) : std::nullopt;
  const bool is_less = plan && static_cast<double>(plan->cost) < global.as_it_is.bytes;
  if (is_less) {
    global.best = cost_of(graph, *plan);
    global.conversions = conversions_of(graph, *plan);
  }
  global.operators = graph.nodes.size();
  global.in_channels_last =
      static_cast<std::size_t>(std::ranges::count(is_less ? plan->layouts : graph.current, TensorLayout::channels_last));
  if (graph.seen_bytes > 0) global.explained = global.as_it_is.bytes / graph.seen_bytes;
  global.confidence = confidence_of(trace, graph, global.explained);
  return global;
}

}  // namespace frx::derive::layout
