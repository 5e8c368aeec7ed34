// What a file mentions: other files that its analysis may lead to, and places that may launch a kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

struct Mentions {
  std::vector<std::uint32_t> names;         // the numbers of names that are defined elsewhere, each once
  std::vector<std::uint32_t> launch_nodes;  // `<<<...>>>` and names of kernels, in order
  std::vector<std::uint32_t> handed_on;     // the numbers of names of kernels that are arguments of calls
};

Mentions mentions_in(const Program& program, std::uint32_t source);

// For each file the last one, by number, whose analysis may lead to it: through the names it uses, the files that define these names,
// and so on.
std::vector<std::uint32_t> last_users(const Program& program, std::span<const Mentions> all);

}  // namespace frx::derive::cuda
