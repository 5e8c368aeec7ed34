#include "derive/layout/convolving_part.h"

#include <utility>

namespace frx::derive::layout {
namespace {

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t of) {
  while (parents[of] != of) of = parents[of] = parents[parents[of]];
  return of;
}

std::vector<bool> convolving_operators(const LayoutTrace& trace, const LayoutGraph& graph) {
  std::vector<std::uint32_t> parents(graph.nodes.size());
  for (std::uint32_t i = 0; i < parents.size(); ++i) parents[i] = i;
  for (const ConvertedTensor& tensor : graph.problem.tensors) {
    for (const std::uint32_t consumer : tensor.consumers) parents[root_of(parents, consumer)] = root_of(parents, tensor.producer);
  }
  std::vector<bool> convolves(parents.size()), kept(parents.size());
  for (std::uint32_t i = 0; i < parents.size(); ++i) {
    const bool is_convolution = graph.nodes[i] != none && trace.nodes()[graph.nodes[i]].role == OperatorRole::convolution;
    if (is_convolution) convolves[root_of(parents, i)] = true;
  }
  for (std::uint32_t i = 0; i < parents.size(); ++i) kept[i] = convolves[root_of(parents, i)];
  return kept;
}

}  // namespace

void keep_what_convolves(const LayoutTrace& trace, LayoutGraph& graph) {
  const std::vector<bool> kept = convolving_operators(trace, graph);
  LayoutGraph small;
  std::vector<std::uint32_t> number(kept.size(), none);
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    number[i] = static_cast<std::uint32_t>(small.nodes.size());
    small.problem.operators.push_back(graph.problem.operators[i]);
    small.nodes.push_back(graph.nodes[i]);
    small.current.push_back(graph.current[i]);
    small.inside.push_back(graph.inside[i]);
  }
  for (std::uint32_t i = 0; i < graph.problem.tensors.size(); ++i) {
    ConvertedTensor tensor = graph.problem.tensors[i];
    if (!kept[tensor.producer]) continue;
    tensor.producer = number[tensor.producer];
    for (std::uint32_t& consumer : tensor.consumers) consumer = number[consumer];
    small.problem.tensors.push_back(std::move(tensor));
    small.sizes.push_back(graph.sizes[i]);
    small.between.push_back(graph.between[i]);
  }
  std::swap(graph.problem, small.problem);
  std::swap(graph.nodes, small.nodes);
  std::swap(graph.current, small.current);
  std::swap(graph.inside, small.inside);
  std::swap(graph.sizes, small.sizes);
  std::swap(graph.between, small.between);
}

}  // namespace frx::derive::layout
