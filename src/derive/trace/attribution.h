// Which call launched a piece of GPU work, and which operator made the call.
//
// A kernel of a CUDA graph belongs to the operator around the place where it was captured, if that was recorded: the graph's launch is a
// call for all of its kernels.
//
// GPU work -> the call with the same correlation -> the innermost operator (or range that the program named) of the calling thread around
// the call. Never by External id alone: in traces of 2022 and 2023 it names other operators. It is only used where there is no call in the
// file, and only in files where it agrees with the calls.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline.h"

namespace frx::derive::trace {

inline constexpr std::uint32_t none = 0xFFFFFFFF;

struct GpuWork {
  std::uint32_t event = 0;       // row of the timeline
  std::uint32_t launch = none;   // row of the call
  std::uint32_t op = none;       // row of the innermost operator
  std::uint32_t capture = none;  // row of the moment at which a kernel of a CUDA graph was captured
};

struct Attribution {
  std::vector<GpuWork> work;  // by start
  std::uint64_t kernels = 0, kernels_with_launch = 0, kernels_with_op = 0;
  std::uint64_t by_external_id = 0;  // kernels among those with an operator
  // By track of the timeline: numbers of processes, of a GPU that whose work it did; `none`: not known. All 0 where one process made all
  // calls.
  std::vector<std::uint32_t> process_of_track;
};

// O(n log n) in the number of events.
Attribution attribute(const model::Timeline& timeline);

// The innermost of `ranges` (rows) around the start of each of `queries` (rows), on its own track; `none` where there is none.
std::vector<std::uint32_t> innermost_around(const model::Timeline& timeline, const std::vector<std::uint32_t>& ranges,
                                            const std::vector<std::uint32_t>& queries);
// The innermost operator around the start of each of `queries` (rows), on its own track; `none` where there is none.
std::vector<std::uint32_t> innermost_operator(const model::Timeline& timeline, const std::vector<std::uint32_t>& queries);

}  // namespace frx::derive::trace
