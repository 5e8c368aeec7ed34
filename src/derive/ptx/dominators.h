// Which block must have been passed to reach another one, and which will be passed behind it.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/flow_graph.h"

namespace frx::derive::ptx {

class Dominators {
 public:
  // Of the nodes that `successors` leads to from `root`. Nearly linear (Lengauer and Tarjan, 1979).
  Dominators(std::uint32_t root, const Lists& successors, const Lists& predecessors);

  // The nearest node through which every path from the root to `node` goes, other than itself; `none` for
  // the root and for what it does not reach.
  std::uint32_t nearest(std::uint32_t node) const { return nearest_[node]; }
  bool reaches(std::uint32_t node) const { return enter_[node] != none; }
  // Does every path from the root to `node` go through `by`? A node dominates itself.
  bool dominates(std::uint32_t by, std::uint32_t node) const {
    return reaches(by) && reaches(node) && enter_[by] <= enter_[node] && leave_[node] <= leave_[by];
  }

 private:
  void number_tree(std::uint32_t root);

  std::vector<std::uint32_t> nearest_;
  std::vector<std::uint32_t> enter_, leave_;  // times of a walk of the tree
};

// From the beginning of the function.
Dominators dominators(const FlowGraph& graph);
// From its end backwards: the nearest one of a block is where paths that part there meet again; the number
// of blocks stands for the end itself.
Dominators post_dominators(const FlowGraph& graph);

}  // namespace frx::derive::ptx
