// Which loop is in which, and which ones lanes of a warp may leave in different rounds.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/divergence.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/loops.h"

namespace frx::derive::ptx {

class LoopNest {
 public:
  // Of values made of what differs in the rounds of loops that are not in each other.
  static constexpr std::uint32_t several = none - 1;

  LoopNest(const FlowGraph& graph, const Loops& loops, const Divergence& divergence);

  // Is the block in the loop?
  bool contains(std::uint32_t loop, std::uint32_t block) const { return encloses(loop, loops_.innermost[block]); }
  // Is `inner` the loop or in it? `none` is in no loop.
  bool encloses(std::uint32_t loop, std::uint32_t inner) const {
    return inner != none && enter_[loop] <= enter_[inner] && enter_[inner] < leave_[loop];
  }
  std::uint32_t innermost(std::uint32_t block) const { return loops_.innermost[block]; }
  // The one that is in the other; `none` is around all.
  std::uint32_t inner_of(std::uint32_t a, std::uint32_t b) const;
  // Do lanes that meet in `block` come from different rounds of `loop`, or of one between it and the block?
  bool parts_before(std::uint32_t loop, std::uint32_t block) const;
  const Loops& loops() const { return loops_; }

 private:
  void find_parting(const FlowGraph& graph, const Divergence& divergence);
  std::uint32_t common_depth(std::uint32_t from, std::uint32_t to) const;

  const Loops& loops_;
  std::vector<std::uint32_t> enter_, leave_;  // by loop: times of a walk of the nest
  std::vector<std::uint32_t> parting_;        // by loop: itself or the nearest one around that lanes leave apart
  bool any_parts_ = false;
};

}  // namespace frx::derive::ptx
