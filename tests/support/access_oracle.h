// Does the analysis of memory accesses agree with what a warp really touches?
#pragma once

#include <cstdint>
#include <string>

#include "support/random_kernel.h"

namespace frx::testing {

struct Agreement {
  std::string difference;              // empty: they agree
  std::uint64_t accesses = 0;          // of the kernel that were executed
  std::uint64_t compared = 0;          // whose cost was compared, for a launch of which all is known
  std::uint64_t equal = 0;             // of these: to the number, not only within the range
  std::uint64_t for_all_launches = 0;  // whose cost was compared with what holds for all launches of the block
  std::uint64_t followed = 0;          // that are uniform, affine or known per lane
  std::uint64_t wrapped = 0;           // left out: a number that is not known did not fit its register
};

// Runs all warps of the block, counts sectors and bank conflicts by the book and compares.
Agreement compare_with_oracle(const RandomKernel& kernel);

}  // namespace frx::testing
