// Kernels that compute addresses at random, as PTX: sums and products of thread and block numbers, parameters
// and loop counters; masks, shifts, quotients and choices; blocks of one to three dimensions, loads and stores
// of 1 to 16 bytes, global and shared, in loops, branches and under predicates.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace frx::testing {

struct RandomKernel {
  std::string text;
  std::array<std::uint32_t, 3> block = {32, 1, 1}, grid = {1, 1, 1}, block_index = {0, 0, 0};
  std::vector<std::uint64_t> parameters;  // the first two are pointers, aligned to 256 bytes
  bool has_unknown_conditions = false;    // a condition is made of more than thread numbers
  bool parts_lanes = false;               // lanes leave a loop in different rounds
  bool reads_indices = false;             // numbers were read that addresses may be made of
};

// The same kernel for the same seed.
RandomKernel random_kernel(std::uint64_t seed);

}  // namespace frx::testing
