// Neighbouring elements that a thread moves one by one, where one access would do if the compiler knew how they are aligned.
#pragma once

#include <cstdint>
#include <optional>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

struct SplitElements {
  std::size_t first = 0, second = 0;  // the two accesses, of which the second one is behind the first in memory
  std::uint32_t bytes = 0;            // of each
};

// A pair in a loop if there is one, and of several the first.
std::optional<SplitElements> split_elements(const KernelView& view);

// An access of one byte, by its number in the trace, with which each thread goes through bytes of its own one by one, in a loop or by
// accesses to three more that lie behind it; nothing where the threads of a warp move neighbouring bytes.
std::optional<std::size_t> bytes_one_by_one(const KernelView& view);

}  // namespace frx::derive::cuda
