// Which branches may diverge within a warp.
//
// A value differs between lanes when it is computed from one that does: %tid, %laneid, the result of an atomic or a shuffle, memory
// of the thread itself, a load from an address that differs. It also differs where lanes reconverge that took different paths, or
// left a loop in different iterations, and the value was written there. Kernel parameters, %ctaid, %ntid and what is computed
// from them are the same for all lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/liveness.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

struct Branch {
  std::uint32_t instruction = 0;  // its number in the module; a branch, or a predicated ret, exit or trap
  bool may_diverge = false;
  std::uint32_t origin = none;  // the instruction that the difference comes from, when it may diverge
};

struct Divergence {
  std::vector<Branch> branches;  // the conditional ones, in the order of the code
  std::vector<bool> differs;     // by value of RegisterUses
  // False: the control flow was too complex to follow, and every value that is written twice counts as differing.
  bool is_exact = true;
};

Divergence divergence(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const FlowGraph& graph,
                      const RegisterUses& uses, const Liveness& live);

}  // namespace frx::derive::ptx
