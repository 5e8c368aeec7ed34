#include "derive/ptx/dominators.h"

#include <algorithm>
#include <utility>

namespace frx::derive::ptx {
namespace {

// Nodes are renumbered in depth-first order; all arrays are indexed by these numbers.
class Forest {
 public:
  Forest(std::uint32_t root, const Lists& successors);

  std::vector<std::uint32_t> nearest(const Lists& predecessors);

 private:
  void traverse(std::uint32_t root, const Lists& successors);
  std::uint32_t best(std::uint32_t node);

  std::vector<std::uint32_t> order_;   // node by number
  std::vector<std::uint32_t> number_;  // number by node; none: not reached
  std::vector<std::uint32_t> parent_, semi_, label_, ancestor_;
  std::vector<std::uint32_t> path_;
};

Forest::Forest(std::uint32_t root, const Lists& successors) : number_(successors.size(), none) {
  traverse(root, successors);
  semi_.resize(order_.size());
  for (std::uint32_t i = 0; i < semi_.size(); ++i) semi_[i] = i;
  label_ = semi_;
  ancestor_.assign(order_.size(), none);
}

void Forest::traverse(std::uint32_t root, const Lists& successors) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open = {{root, none}};
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    if (number_[node] != none) continue;
    number_[node] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(node);
    parent_.push_back(parent);
    const auto next = successors[node];
    for (std::size_t i = next.size(); i > 0; --i) {
      if (number_[next[i - 1]] == none) open.emplace_back(next[i - 1], number_[node]);
    }
  }
}

// The node with the smallest semidominator on the path up from `node`; compresses the path.
std::uint32_t Forest::best(std::uint32_t node) {
  if (ancestor_[node] == none) return label_[node];
  path_.clear();
  for (std::uint32_t at = node; ancestor_[ancestor_[at]] != none; at = ancestor_[at]) path_.push_back(at);
  for (std::size_t i = path_.size(); i > 0; --i) {
    const std::uint32_t at = path_[i - 1], above = ancestor_[at];
    if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
    ancestor_[at] = ancestor_[above];
  }
  return label_[node];
}

std::vector<std::uint32_t> Forest::nearest(const Lists& predecessors) {
  const auto count = static_cast<std::uint32_t>(order_.size());
  std::vector<std::uint32_t> found(count, none), next_in_bucket(count, none), bucket(count, none);
  for (std::uint32_t node = count; node-- > 1;) {
    for (const std::uint32_t before : predecessors[order_[node]]) {
      if (number_[before] != none) semi_[node] = std::min(semi_[node], semi_[best(number_[before])]);
    }
    next_in_bucket[node] = std::exchange(bucket[semi_[node]], node);
    ancestor_[node] = parent_[node];
    for (std::uint32_t v = std::exchange(bucket[parent_[node]], none); v != none; v = next_in_bucket[v]) {
      const std::uint32_t u = best(v);
      found[v] = semi_[u] < semi_[v] ? u : parent_[node];
    }
  }
  std::vector<std::uint32_t> result(number_.size(), none);
  for (std::uint32_t node = 1; node < count; ++node) {
    if (found[node] != semi_[node]) found[node] = found[found[node]];
    result[order_[node]] = order_[found[node]];
  }
  return result;
}

}  // namespace

Dominators::Dominators(std::uint32_t root, const Lists& successors, const Lists& predecessors)
    : nearest_(Forest(root, successors).nearest(predecessors)), enter_(nearest_.size(), none), leave_(nearest_.size(), 0) {
  number_tree(root);
}

void Dominators::number_tree(std::uint32_t root) {
  std::vector<Edge> edges;
  for (std::uint32_t node = 0; node < nearest_.size(); ++node) {
    if (nearest_[node] != none) edges.push_back({nearest_[node], node});
  }
  const Lists children = by_begin(nearest_.size(), edges);
  std::uint32_t time = 0;
  std::vector<std::pair<std::uint32_t, std::size_t>> open = {{root, 0}};
  enter_[root] = time++;
  while (!open.empty()) {
    auto& [node, child] = open.back();
    if (child == children[node].size()) {
      leave_[node] = time++;
      open.pop_back();
    } else {
      const std::uint32_t next = children[node][child++];
      enter_[next] = time++;
      open.emplace_back(next, 0);
    }
  }
}

Dominators dominators(const FlowGraph& graph) { return {0, graph.successors, graph.predecessors}; }

Dominators post_dominators(const FlowGraph& graph) {
  const auto end = static_cast<std::uint32_t>(graph.blocks.size());
  std::vector<Edge> backwards;
  for (std::uint32_t block = 0; block < end; ++block) {
    for (const std::uint32_t next : graph.successors[block]) backwards.push_back({next, block});
    if (graph.leaves[block]) backwards.push_back({end, block});
  }
  const Lists before = by_begin(end + 1, backwards);
  for (Edge& edge : backwards) std::swap(edge.from, edge.to);
  return {end, before, by_begin(end + 1, backwards)};
}

}  // namespace frx::derive::ptx
