// How many registers are needed by loads that can be in flight at the same time.
#pragma once

#include <cstdint>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

// Counts registers of 32 bits for the results of independent loads in one block, up to where memory may change (a store, a barrier, a
// call), and returns the largest number of all blocks. ptxas issues such loads together as far as registers are left, wherever
// they stand in the PTX.
std::uint32_t loads_together(const ::frx::model::ptx::Module& module, const FlowGraph& graph, const RegisterUses& uses);

}  // namespace frx::derive::ptx
