#include "derive/ptx/affine_loops.h"

#include <algorithm>

namespace frx::derive::ptx {

LoopNest::LoopNest(const FlowGraph& graph, const Loops& loops, const Divergence& divergence) : loops_(loops) {
  const std::size_t count = loops.all.size();
  // Inner loops come before the loops around them: by ascending size, then by descending position.
  std::vector<std::uint32_t> sizes(count, 1), next(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (loops.all[i].parent != none) sizes[loops.all[i].parent] += sizes[i];
  }
  enter_.assign(count, 0);
  leave_.assign(count, 0);
  std::uint32_t top = 0;
  for (std::size_t i = count; i-- > 0;) {
    const std::uint32_t parent = loops.all[i].parent;
    std::uint32_t& place = parent == none ? top : next[parent];
    enter_[i] = place;
    leave_[i] = place + sizes[i];
    next[i] = place + 1;
    place += sizes[i];
  }
  find_parting(graph, divergence);
}

// A branch leaves all loops that enclose it but not its target.
void LoopNest::find_parting(const FlowGraph& graph, const Divergence& divergence) {
  const std::size_t count = loops_.all.size();
  std::vector<std::uint32_t> stays_in(count, none);  // by loop: the smallest depth that a branch in it leads to
  for (const Branch& branch : divergence.branches) {
    const std::uint32_t block = graph.block_of(branch.instruction), loop = loops_.innermost[block];
    if (!branch.may_diverge || loop == none) continue;
    for (const std::uint32_t target : graph.successors[block]) {
      stays_in[loop] = std::min(stays_in[loop], common_depth(loop, loops_.innermost[target]));
    }
    if (graph.leaves[block]) stays_in[loop] = 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t parent = loops_.all[i].parent;
    if (parent != none) stays_in[parent] = std::min(stays_in[parent], stays_in[i]);
  }
  divergent_.assign(count, none);
  for (std::size_t i = count; i-- > 0;) {
    const Loop& loop = loops_.all[i];
    if (loop.parent != none) divergent_[i] = divergent_[loop.parent];
    if (stays_in[i] < loop.depth) divergent_[i] = static_cast<std::uint32_t>(i);
    any_divergent_ = any_divergent_ || divergent_[i] != none;
  }
}

// A branch enters a loop only at its header; where it does not, nothing is known.
std::uint32_t LoopNest::common_depth(std::uint32_t from, std::uint32_t to) const {
  if (to == none) return 0;
  if (encloses(to, from)) return loops_.all[to].depth;
  const std::uint32_t around = loops_.all[to].parent;
  return around != none && encloses(around, from) ? loops_.all[around].depth : 0;
}

std::uint32_t LoopNest::inner_of(std::uint32_t a, std::uint32_t b) const {
  if (a == several || b == several) return several;
  if (a == none || b == none) return a == none ? b : a;
  return encloses(a, b) ? b : encloses(b, a) ? a : several;
}

bool LoopNest::parts_before(std::uint32_t loop, std::uint32_t block) const {
  if (loop == none) return false;
  if (loop == several) return any_divergent_;
  // If the nearest such loop encloses the block, so do the loops around it.
  return divergent_[loop] != none && !contains(divergent_[loop], block);
}

}  // namespace frx::derive::ptx
