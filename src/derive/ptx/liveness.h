// How many registers a function needs at once, before the compiler has chosen any.
//
// PTX names as many registers as it likes. What the hardware must hold at one instruction are the values
// that are still needed behind it; of those that cost little to have again see cheap_values.h. How the compiler
// reorders instructions is not known here; ptxas and the cubin have the truth.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

struct Pressure {
  std::uint32_t registers = 0;    // of 32 bits, for what must be kept; a value of 64 bits counts 2
  std::uint32_t predicates = 0;   // at most, maybe elsewhere
  std::uint32_t instruction = none;  // where `registers` are needed, counted in the module
  std::uint32_t for_loads = 0;    // for loads that can be under way at the same time
  bool known = false;             // false: no body, or too entangled to follow in linear time
};

struct Liveness {
  Lists live_in;                  // by block: values that are read in it or behind before they are written
  Pressure pressure;
};

// How many registers ptxas will probably choose for it when no bound forces it to fewer. docs/validation/ptx.md
// has how good that is.
std::uint32_t estimated_registers(const Pressure& pressure);

Liveness liveness(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function,
                  const FlowGraph& graph, const RegisterUses& uses);

}  // namespace frx::derive::ptx
