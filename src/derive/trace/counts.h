// How many events of each kind a trace has, and how many of its kernels can be attributed.
#pragma once

#include <cstdint>

#include "derive/trace/attribution.h"
#include "derive/trace/backward.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct TraceCounts {
  std::uint64_t events = 0, copies = 0, calls = 0, operators = 0;  // calls: of the runtime and the driver
  std::uint64_t foreign_events = 0;                                // of accelerators that are no GPU of CUDA or ROCm
  std::uint64_t kernels = 0, kernels_with_launch = 0, kernels_with_op = 0;
  std::uint64_t backward_kernels = 0, backward_kernels_joined = 0;  // joined: the operator of the forward pass is known
};

// Is the event one of this rank? All are of rank -1.
inline bool is_of_rank(const model::Timeline& timeline, std::size_t row, std::int64_t rank) {
  return rank < 0 || timeline.tracks[timeline.track[row]].rank == rank;
}

// `rank`: of a file that a tool merged from several ranks, the one that is meant; -1: all events.
TraceCounts counts_of(const model::Timeline& timeline, const Attribution& attribution, const BackwardWork& backward, std::int64_t rank);

}  // namespace frx::derive::trace
