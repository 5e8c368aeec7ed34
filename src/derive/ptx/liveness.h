// How many registers a function needs at once, before the compiler has chosen any.
//
// PTX may name any number of registers. At an instruction the hardware must hold the values that are still needed after it; values
// that are cheap to recompute are the subject of cheap_values.h. How the compiler reorders instructions is not known here; only
// ptxas and the cubin tell the true number.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

struct Pressure {
  std::uint32_t registers = 0;       // of 32 bits, for what must be kept; a value of 64 bits counts 2
  std::uint32_t predicates = 0;      // at most, maybe elsewhere
  std::uint32_t instruction = none;  // where `registers` are needed: its number in the module
  std::uint32_t for_loads = 0;       // for loads that can be in flight at the same time
  bool known = false;                // false: no body, or control flow too complex for linear time
};

struct Liveness {
  Lists live_in;  // by block: values that are live at its beginning
  Pressure pressure;
};

// How many registers ptxas will probably choose when no limit forces it to fewer. docs/validation/ptx.md states how good this
// estimate is.
std::uint32_t estimated_registers(const Pressure& pressure);

Liveness liveness(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const FlowGraph& graph,
                  const RegisterUses& uses);

}  // namespace frx::derive::ptx
