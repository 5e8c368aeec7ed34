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

}  // namespace frx::derive::cuda
