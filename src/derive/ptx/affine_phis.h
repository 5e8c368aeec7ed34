// Where ways of control meet that have written different values to a register.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/dominators.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/liveness.h"
#include "derive/ptx/register_uses.h"

namespace frx::derive::ptx {

struct PhiPlaces {
  Lists values;               // by block: those that need one at its beginning
  std::vector<bool> several;  // by value: more than one instruction writes it
  bool known = true;          // false: too entangled to place in linear time; `values` is empty
};

// For the values that are `needed`, and live where the ways meet (Cytron and others, 1991).
PhiPlaces place_phis(const FlowGraph& graph, const Dominators& dominators, const RegisterUses& uses,
                     const Liveness& live, const std::vector<bool>& needed);

// Blocks in an order in which each comes behind what leads to it, but for ways back.
std::vector<std::uint32_t> reverse_postorder(const FlowGraph& graph);

}  // namespace frx::derive::ptx
