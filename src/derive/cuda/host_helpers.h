// What functions of the host that launch do each time they are called, which their callers pay for.
//
//   void scale(float* a) { k<<<grid, 256>>>(a); cudaDeviceSynchronize(); }                         a wait at the end
//   float sum(const float* a) { float* out; cudaMalloc(&out, 4); k<<<grid, 256>>>(a, out); ... }   memory for each call
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "derive/cuda/host_steps.h"
#include "derive/cuda/program.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// On what the size of an allocation depends, also through variables of the function.
struct AllocatedSize {
  std::set<std::uint32_t> parameters;  // by position
  std::set<std::string> others;        // names that are neither parameters nor variables of it: constants, members
};

struct HostHelper {
  std::uint32_t function = none;  // of the program
  // The call with which it ends to wait, "" for none; and the launch before that.
  std::string wait;
  model::TextPlace wait_place, waits_behind;
  // What it allocates for itself each time; call "": nothing.
  model::cuda::HostAllocation allocation;
  model::TextPlace allocates_for;  // its first launch
  AllocatedSize size;
};

// Of a function with launches, by the node of each one. Nothing where callers pay for nothing.
struct NamedLaunch {
  std::uint32_t node = none;
  model::TextPlace place;
  std::string kernel;
};
std::optional<HostHelper> helper_of(const Program& program, std::uint32_t function, const std::vector<NamedLaunch>& launches,
                                    HostView view);

// Does a kernel of that name call printf()? What it prints comes out where the host waits.
bool prints(const Program& program, std::string_view kernel);

// What an expression in a function depends on.
AllocatedSize size_of_allocation(const Source& source, const Function& function, std::uint32_t expression);

}  // namespace frx::derive::cuda
