// How loops are nested, and which ones the lanes of a warp may leave in different iterations.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/divergence.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/loops.h"

namespace frx::derive::ptx {

class LoopNest {
 public:
  // Stands for values that depend on the iterations of loops that are not nested in each other.
  static constexpr std::uint32_t several = none - 1;

  LoopNest(const FlowGraph& graph, const Loops& loops, const Divergence& divergence);

  // Is the block in the loop?
  bool contains(std::uint32_t loop, std::uint32_t block) const { return encloses(loop, loops_.innermost[block]); }
  // Is `inner` the loop or in it? `none` is in no loop.
  bool encloses(std::uint32_t loop, std::uint32_t inner) const {
    return inner != none && enter_[loop] <= enter_[inner] && enter_[inner] < leave_[loop];
  }
  std::uint32_t innermost(std::uint32_t block) const { return loops_.innermost[block]; }
  // The inner one of two nested loops; `none` encloses all loops.
  std::uint32_t inner_of(std::uint32_t a, std::uint32_t b) const;
  // Do lanes that join in `block` come from different iterations of `loop`, or of one between it and the block?
  bool parts_before(std::uint32_t loop, std::uint32_t block) const;
  const Loops& loops() const { return loops_; }

 private:
  void find_parting(const FlowGraph& graph, const Divergence& divergence);
  std::uint32_t common_depth(std::uint32_t from, std::uint32_t to) const;

  const Loops& loops_;
  std::vector<std::uint32_t> enter_, leave_;  // by loop: times of a traversal of the nest
  std::vector<std::uint32_t> divergent_;      // by loop: itself, or the nearest enclosing one that lanes leave in different iterations
  bool any_divergent_ = false;
};

}  // namespace frx::derive::ptx
