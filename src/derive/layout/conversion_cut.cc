#include "derive/layout/conversion_cut.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

namespace frx::derive::layout {
namespace {

// Whole numbers, which are exact below 2^53; and an infinite one that stays infinite when something is taken from it.
using Capacity = double;
using CutTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct CutEdge {
  Capacity capacity = 0, left = 0;
  CutTraits::edge_descriptor reverse;
};

using CutGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, CutEdge>;

constexpr ConversionCost largest_cost = ConversionCost{1} << 40U;
constexpr Capacity endless = 1e30;

Capacity capacity_of(ConversionCost cost) { return cost == forbidden ? endless : static_cast<Capacity>(std::min(cost, largest_cost)); }

ConversionCost saturated_sum(ConversionCost a, ConversionCost b) {
  ConversionCost sum = 0;
  return a == forbidden || b == forbidden || __builtin_add_overflow(a, b, &sum) ? forbidden : sum;
}

// What stays with the source works in the contiguous layout, what falls to the sink in channels-last.
class CutBuilder {
 public:
  explicit CutBuilder(const ConversionProblem& problem)
      : problem_(problem), source_(problem.operators.size() + 2 * problem.tensors.size()), sink_(source_ + 1), graph_(sink_ + 1) {}

  std::vector<TensorLayout> solve() {
    for (std::size_t i = 0; i < problem_.operators.size(); ++i) add_operator(i);
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) add_tensor(i);
    std::vector<boost::default_color_type> color(sink_ + 1);
    std::vector<CutTraits::edge_descriptor> predecessor(sink_ + 1);
    std::vector<long> distance(sink_ + 1);
    const auto index = boost::get(boost::vertex_index, graph_);
    boost::boykov_kolmogorov_max_flow(graph_, boost::get(&CutEdge::capacity, graph_), boost::get(&CutEdge::left, graph_),
                                      boost::get(&CutEdge::reverse, graph_), boost::make_iterator_property_map(predecessor.begin(), index),
                                      boost::make_iterator_property_map(color.begin(), index),
                                      boost::make_iterator_property_map(distance.begin(), index), index, source_, sink_);
    std::vector<TensorLayout> layouts(problem_.operators.size(), TensorLayout::contiguous);
    // Nodes of neither tree may go to either side at the same cost: they stay contiguous.
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (color[i] == boost::color_traits<boost::default_color_type>::white()) layouts[i] = TensorLayout::channels_last;
    }
    return layouts;
  }

 private:
  void connect(std::size_t from, std::size_t to, Capacity capacity) {
    if (capacity == 0) return;
    const auto forth = boost::add_edge(from, to, graph_).first, back = boost::add_edge(to, from, graph_).first;
    graph_[forth].capacity = capacity;
    graph_[forth].reverse = back;
    graph_[back].reverse = forth;
  }

  void add_operator(std::size_t i) {
    const Capacity contiguous = capacity_of(problem_.operators[i].contiguous);
    const Capacity channels_last = capacity_of(problem_.operators[i].channels_last);
    const Capacity both = std::min(contiguous, channels_last);  // is paid in any case
    connect(i, sink_, contiguous - both);
    connect(source_, i, channels_last - both);
  }

  void add_tensor(std::size_t i) {
    const ConvertedTensor& tensor = problem_.tensors[i];
    const std::size_t channels_last = problem_.operators.size() + 2 * i, contiguous = channels_last + 1;
    connect(tensor.producer, channels_last, capacity_of(tensor.to_channels_last));
    connect(contiguous, tensor.producer, capacity_of(tensor.to_contiguous));
    for (const std::uint32_t consumer : tensor.consumers) {
      connect(channels_last, consumer, endless);
      connect(consumer, contiguous, endless);
    }
  }

  const ConversionProblem& problem_;
  std::size_t source_, sink_;
  CutGraph graph_;
};

}  // namespace

ConversionPlan plan_with(const ConversionProblem& problem, std::vector<TensorLayout> layouts) {
  ConversionPlan plan;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const ConvertingOperator& one = problem.operators[i];
    plan.cost = saturated_sum(plan.cost, layouts[i] == TensorLayout::contiguous ? one.contiguous : one.channels_last);
  }
  for (std::uint32_t i = 0; i < problem.tensors.size(); ++i) {
    const ConvertedTensor& tensor = problem.tensors[i];
    const TensorLayout made = layouts[tensor.producer];
    if (std::ranges::all_of(tensor.consumers, [&](std::uint32_t consumer) { return layouts[consumer] == made; })) continue;
    const bool is_contiguous = made == TensorLayout::contiguous;
    plan.conversions.push_back({i, is_contiguous ? TensorLayout::channels_last : TensorLayout::contiguous});
    plan.cost = saturated_sum(plan.cost, is_contiguous ? tensor.to_channels_last : tensor.to_contiguous);
  }
  plan.layouts = std::move(layouts);
  return plan;
}

std::optional<ConversionPlan> cheapest_plan(const ConversionProblem& problem) {
  ConversionPlan plan = plan_with(problem, CutBuilder(problem).solve());
  return plan.cost == forbidden ? std::nullopt : std::optional(std::move(plan));
}

}  // namespace frx::derive::layout
