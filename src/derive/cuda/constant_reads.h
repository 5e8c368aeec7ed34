// Reads of constant memory at places that differ between the lanes of a warp: its cache gives a warp one word at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// By their numbers in the trace: those for which a warp certainly asks for 8 words or more, or for as many as its data say.
std::vector<std::uint32_t> spread_constant_reads(const Trace& trace, const Shape& block);

}  // namespace frx::derive::cuda
