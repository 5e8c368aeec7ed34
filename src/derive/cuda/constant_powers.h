// Powers whose exponent is a small number that is written there: powf(r, 2.0f), which the compiler makes no product of.
//
// nvcc 13 compiles powf(x, 2.0f) to 120 instructions of PTX, pow(x, 2) of a double to 65 and a call; x * x is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "derive/cuda/value_types.h"

namespace frx::derive::cuda {

// Is it a function by which a power is computed: pow, powf?
bool computes_power(std::string_view function);

// What computes the same as a node that is a call of such a function, "x * x"; "" where it is none, the exponent is none of those with a
// short way, or the base is a number as well, so that the compiler knows the result, or no float or double.
std::string_view way_of_power(const Program& program, const Source& source, const ValueTypes& types, std::uint32_t node);

}  // namespace frx::derive::cuda
