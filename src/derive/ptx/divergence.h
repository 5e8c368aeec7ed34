// Which branches may part the lanes of a warp.
//
// A value differs between lanes when it is made from one that does: %tid, %laneid, the result of an atomic
// or a shuffle, memory of the thread itself, a load from an address that differs. It also differs when lanes
// that took different ways, or left a loop in different rounds, meet again with values from there. Kernel
// parameters, %ctaid, %ntid and what is made of them are the same for all lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/liveness.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

struct Branch {
  std::uint32_t instruction = 0;  // counted in the module; a branch, or a predicated ret, exit or trap
  bool may_part_lanes = false;
  std::uint32_t origin = none;    // the instruction that the difference comes from, when it may
};

struct Divergence {
  std::vector<Branch> branches;   // those with a choice, in the order of the code
  std::vector<bool> differs;      // by value of RegisterUses
  // False: the ways were too entangled to follow, and every value that is written twice counts as differing.
  bool is_exact = true;
};

Divergence divergence(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function,
                      const FlowGraph& graph, const RegisterUses& uses, const Liveness& live);

}  // namespace frx::derive::ptx
