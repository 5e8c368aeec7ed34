// Whether a function has anything that facts about arithmetic may speak of, told from its words alone: most kernels compute floats and
// divide by constants, and the types of their expressions need not be worked out.
#pragma once

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

// False only where no expression can be a double but by a type that is written out, and where nothing but numbers divides.
bool may_have_arithmetic_facts(const Program& program, const Function& function);

}  // namespace frx::derive::cuda
