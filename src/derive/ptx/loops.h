// Natural loops: which blocks are executed repeatedly, and how deeply they are nested.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/dominators.h"
#include "derive/ptx/flow_graph.h"

namespace frx::derive::ptx {

struct Loop {
  std::uint32_t header = 0;     // the block that every iteration begins with
  std::uint32_t parent = none;  // the enclosing loop; index into Loops::all
  std::uint32_t depth = 1;      // 1: in no other loop
  std::uint32_t blocks = 0;     // those of inner loops included
  std::uint32_t back_edges = 0;
};

struct Loops {
  std::vector<Loop> all;                 // inner loops before the enclosing ones
  std::vector<std::uint32_t> innermost;  // by block: index into all, or none
  // Back edges to a block that does not dominate their source: cycles that are not natural loops.
  std::uint32_t irreducible_edges = 0;

  std::uint32_t depth_of(std::uint32_t block) const { return innermost[block] == none ? 0 : all[innermost[block]].depth; }
};

Loops find_loops(const FlowGraph& graph, const Dominators& dominators);

}  // namespace frx::derive::ptx
