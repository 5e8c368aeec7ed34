// Where control-flow paths join that have written different values to a register.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/dominators.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/liveness.h"
#include "derive/ptx/register_uses.h"

namespace frx::derive::ptx {

struct PhiPlaces {
  Lists values;               // by block: the values that need a phi at its beginning
  std::vector<bool> several;  // by value: more than one instruction writes it
  bool known = true;          // false: the control flow is too complex for linear time; `values` is empty
};

// For the values that are `needed`, and live where the paths join (Cytron and others, 1991).
PhiPlaces place_phis(const FlowGraph& graph, const Dominators& dominators, const RegisterUses& uses, const Liveness& live,
                     const std::vector<bool>& needed);

// Blocks in an order in which each comes after its predecessors, except along back edges.
std::vector<std::uint32_t> reverse_postorder(const FlowGraph& graph);

}  // namespace frx::derive::ptx
