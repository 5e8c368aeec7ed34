// How many scalar variables of a function are needed at once.
//
//   float a, b, c;  f(a); f(b); f(c);     3 are declared; a variable that no later line reads is dead
//
// A variable takes a register from its declaration to its last use, and throughout a loop when it was declared before the loop; an array
// of constant size takes as many as it has elements. A compiler may need fewer or more.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

// Arrays in memory, by name, take none.
std::uint32_t live_scalars(const Program& program, const Function& function, const std::set<std::string_view>& in_memory);

}  // namespace frx::derive::cuda
