// The calls of operators that launched work, each with its kernels: what an operator profile is made of.
//
// A kernel belongs to the innermost operator around its launch, on the launching thread; a kernel of a CUDA graph to that around its
// capture. The operators around that one are its hierarchy, not fused with it. Ranges that the program named are scopes; where no operator
// is around the launch, the innermost scope answers, and says so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/trace/attribution.h"
#include "model/timeline.h"

namespace frx::derive::trace {

enum class OperatorMethod : std::uint8_t {
  range,    // an operator is around the launch
  capture,  // an operator is around the place where the kernel of a CUDA graph was captured
  scope,    // only ranges of the program are
  unknown,  // nothing is, or the launch is not in the recording
  before,   // launched before the measured window
};

// Whether a kernel belongs to a call of an operator or to a range of the program.
constexpr bool is_attributed(OperatorMethod method) {
  return method == OperatorMethod::range || method == OperatorMethod::capture || method == OperatorMethod::scope;
}

struct OperatorKernel {
  std::uint32_t event = 0;     // row of the kernel
  std::uint32_t range = none;  // row of the operator or scope it belongs to
  std::uint32_t inner = none;  // row of the innermost range around the launch
  OperatorMethod method = OperatorMethod::unknown;
  std::optional<std::uint32_t> iteration;  // of the measured window, where it is marked: during which a thread of the process launched it
  std::uint32_t place = none;              // row of the launch, or of the capture that `range` is around
  std::uint32_t launch = none;             // row of the call that launched it, or the CUDA graph that it is of
  std::uint32_t forward = none;  // of the backward pass: row of the forward operator whose gradient it computes, where that is known
  bool is_backward = false;      // launched by a node of the graph of gradients, known or not
};

struct OperatorCall {
  std::uint32_t range = 0;             // row
  std::uint32_t index = 0;             // of the calls of this name that launched kernels, from 0, by start
  std::vector<std::uint32_t> kernels;  // indices, by start
  std::int64_t gpu_ns = 0;             // sum over the kernels
};

struct OperatorCalls {
  std::vector<std::uint32_t> enclosing;      // by row: the innermost operator or range around it, on its own track; `none` elsewhere
  std::vector<OperatorKernel> kernels;       // by start; every kernel of the timeline
  std::vector<OperatorCall> calls;           // by start of the range
  std::int64_t window_begin_ns = INT64_MIN;  // of the measured window, where it is marked

  // Ranges "frx::measure#0", "frx::measure#1", ... mark what is measured.
  bool has_window() const { return window_begin_ns != INT64_MIN; }
};

// By row: the innermost of `ranges` around it, on its own track; `none` elsewhere. O(n log n).
std::vector<std::uint32_t> enclosing_ranges(const model::Timeline& timeline, std::vector<std::uint32_t> ranges);

OperatorCalls operator_calls(const model::Timeline& timeline, const Attribution& attribution);

}  // namespace frx::derive::trace
