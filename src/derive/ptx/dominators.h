// Dominators and post-dominators: which blocks every path to a block passes, and every path from it.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/flow_graph.h"

namespace frx::derive::ptx {

class Dominators {
 public:
  // Covers the nodes that `successors` reaches from `root`. Takes nearly linear time (Lengauer and Tarjan, 1979).
  Dominators(std::uint32_t root, const Lists& successors, const Lists& predecessors);

  // The immediate dominator: the nearest other node on every path from the root to `node`; `none` for the root and for
  // unreachable nodes.
  std::uint32_t nearest(std::uint32_t node) const { return nearest_[node]; }
  bool reaches(std::uint32_t node) const { return enter_[node] != none; }
  // Does every path from the root to `node` go through `by`? A node dominates itself.
  bool dominates(std::uint32_t by, std::uint32_t node) const {
    return reaches(by) && reaches(node) && enter_[by] <= enter_[node] && leave_[node] <= leave_[by];
  }

 private:
  void number_tree(std::uint32_t root);

  std::vector<std::uint32_t> nearest_;
  std::vector<std::uint32_t> enter_, leave_;  // times of a traversal of the tree
};

// Dominators, from the beginning of the function.
Dominators dominators(const FlowGraph& graph);
// Post-dominators: the nearest one of a block is where paths that diverge there join again; the number of blocks stands for the
// end of the function.
Dominators post_dominators(const FlowGraph& graph);

}  // namespace frx::derive::ptx
