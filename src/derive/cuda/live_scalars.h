// How many scalar variables of a function are needed at once.
//
//   float a, b, c;  f(a); f(b); f(c);     3 are declared; what no later line reads is not alive any more
//
// From its declaration to its last use a variable takes a register, and through all of a loop when it comes from
// outside; an array of constant size takes as many as it has elements. A compiler may do better and worse.
#pragma once

#include <cstdint>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

std::uint32_t live_scalars(const Program& program, const Function& function);

}  // namespace frx::derive::cuda
