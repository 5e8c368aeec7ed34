// Loops of the host: how long they are, what they do in each iteration, and whether that is to allocate memory of the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "derive/cuda/trace.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// Does a launch stand in a loop of which no constants say that it has few iterations?
bool is_in_long_host_loop(const Trace& trace, const LaunchSite& site);

// cudaMalloc() and its like, and what frees such memory.
bool allocates_or_frees(std::string_view name);

// Is a call that stands in `around`, a loop or a function, made in each iteration of it, or each time? Not behind `if (n > capacity)`,
// `have ||` or `if (i % 100 != 0) continue;`, nor in a lambda; a call in a condition itself, as macros that look at errors have it, is made
// always, and so is what stands behind a return because of an error.
bool is_made_always(const Source& source, std::uint32_t call, std::uint32_t around);

// thrust::device_vector<int> keys(n);   A declaration that allocates as cudaMalloc() does, of a vector that nothing within `around` hands
// on.
bool makes_device_vector(const Source& source, std::uint32_t node, std::uint32_t around);
// The name of a call that allocates, or "thrust::device_vector" of such a declaration.
std::string allocating_call(const Source& source, std::uint32_t node);

// Several devices or streams have memory of their own.
bool is_of_several_devices(std::string_view name);

// Has a loop of a host function `fewest` iterations or more, or an unknown number? Not for (int k = 0; k < 3; ++k), nor for (int k : {1, 2,
// 3}), and none that takes times, as those of a benchmark do, or goes over devices.
inline constexpr std::int64_t fewest_iterations = 16;  // that make an allocation in each of them worth a word
inline constexpr std::int64_t fewest_waits = 8;        // the same of a wait
bool is_long_host_loop(const Program& program, const Function& function, std::uint32_t loop, std::int64_t fewest);

// The first call in a loop that allocates or frees memory of the GPU in each iteration; null where there is none, or the loop is one over
// devices.
std::shared_ptr<const model::cuda::HostAllocation> allocation_in(const Program& program, const Loop& loop);

}  // namespace frx::derive::cuda
