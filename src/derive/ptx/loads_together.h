// How many registers the loads need that can be under way at the same time.
#pragma once

#include <cstdint>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

// Registers of 32 bits for the results of loads in one block that do not need each other's results, up to where
// memory may change (a store, a barrier, a call); the most of all blocks. ptxas starts such loads together as far
// as registers are left, wherever they stand in the PTX.
std::uint32_t loads_together(const ::frx::model::ptx::Module& module, const FlowGraph& graph, const RegisterUses& uses);

}  // namespace frx::derive::ptx
