// Runs a kernel of PTX for one warp, lane by lane, and writes down the addresses that it touches.
//
// The oracle of the analysis of memory accesses: it shares nothing with it but the reader of PTX. Integer
// instructions, branches, loads and stores are there; a load gives a number made of its address and the seed.
// Lanes that are behind in the code go first, so that ways meet again where structured code has them meet.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ptx_module.h"

namespace frx::testing {

struct WarpLaunch {
  std::array<std::uint32_t, 3> block = {32, 1, 1}, grid = {1, 1, 1}, block_index = {0, 0, 0};
  std::uint32_t warp = 0;
  std::vector<std::uint64_t> parameters;  // by number
  std::uint64_t seed = 0;                 // of what is in memory
};

struct Touch {
  std::uint32_t instruction = 0;  // counted in the module
  std::uint32_t active = 0;       // bit i: lane i
  std::array<std::uint64_t, 32> addresses{};
};

struct WarpTrace {
  std::vector<Touch> touches;
  std::uint32_t existing = 0;  // lanes that have a thread
  // A number of 32 bits did not fit, or one with its highest bit set was taken for one without sign.
  bool wrapped = false;
  std::string problem;  // what the interpreter cannot do; empty when all went well
};

WarpTrace run_warp(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const WarpLaunch& launch);

}  // namespace frx::testing
