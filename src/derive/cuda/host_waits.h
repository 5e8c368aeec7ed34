// Waits of host code for the GPU between launches that need none: launches of one stream run one after the other by themselves.
//
//   step<<<grid, 256>>>(b, a);  cudaDeviceSynchronize();  step<<<grid, 256>>>(a, b);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "derive/cuda/host_steps.h"
#include "derive/cuda/program.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

inline constexpr std::size_t most_places_of_waits = 64;  // that are told

// Of a host function, with the node of the launch before the first one; nothing where there is none. Waits count where nothing up to the
// next launch, or up to that of the next iteration of the loop around, needs what the GPU has done.
struct FoundWaits {
  std::uint32_t launch = none;
  model::cuda::NeedlessWaits waits;
};
std::optional<FoundWaits> needless_waits(const Program& program, const Function& function, HostView view);

// A call of one of those of `view.waiting`, at whose end the host waits, though nothing up to the next launch needs what the GPU has done.
struct WaitingCall {
  std::uint32_t call = none;
  bool is_in_loop = false;
};
std::vector<WaitingCall> needless_waits_of_calls(const Program& program, const Function& function, HostView view);

// The last launch of a function and the wait behind it, where it needs no results before and does nothing afterwards; one of `waiting`,
// which it calls, is both.
struct LaunchAndWait {
  HostStep launch, wait;
};
std::optional<LaunchAndWait> wait_at_end(const Program& program, const Function& function, HostView view);

}  // namespace frx::derive::cuda
