// The addresses of a function as functions of thread, block, parameters and loop iterations.
//
//   st.global.f32 [%rd8], %f1;     param_1 + 4*ctaid.x*ntid.x + 4*tid.x
//
// Nothing here depends on the shape of a block. Where control-flow paths join, registers have these values: a register of a loop
// that grows by the same step in each iteration is `begin + step * iterations`; one that grows by an amount that is the same for all
// lanes is `begin + advance`. Both hold within the loop, for lanes that iterate together; where lanes leave a loop in different
// iterations, the values after the loop are unknown.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/affine_atoms.h"
#include "derive/ptx/affine_transfer.h"
#include "derive/ptx/divergence.h"
#include "derive/ptx/dominators.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/liveness.h"
#include "derive/ptx/loops.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

// A condition that must be nonzero (or zero) for a block to be reached.
struct Guard {
  std::uint32_t around = none;  // another guard that holds as well; index into Addresses::guards
  FormId condition = none;
  bool wanted = true;
};

struct Address {
  std::uint32_t instruction = 0;  // its number in the module
  std::uint32_t block = 0;
  std::uint32_t operand = 0;  // number of the address among the operands of the instruction
  std::uint32_t bits = 64;    // of the register that holds it; usually 32 for shared memory
  FormId form = none;
  FormId predicate = none;  // of the instruction; the number 1 when it has none
  std::uint32_t guard = none;
  bool is_diverged = false;  // lanes that come from different iterations of a loop have different values in it
};

struct Addresses {
  Atoms atoms;
  std::vector<Address> all;  // in the order of the code
  std::vector<Guard> guards;
};

// Nearly linear in the size of the function.
Addresses addresses(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const Vocabulary& words,
                    const FlowGraph& graph, const Dominators& dominators, const Loops& loops, const RegisterUses& uses,
                    const Liveness& live, const Divergence& divergence);

}  // namespace frx::derive::ptx
