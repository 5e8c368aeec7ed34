// The operator of the forward pass that a piece of GPU work of the backward pass belongs to.
//
// PyTorch numbers the nodes of its graph of gradients per thread ("Sequence number"). Operators of the forward pass have the number of the
// next node, so the last of them before the node is the one that made it. Operators of the backward pass have the number of their node, and
// of the thread that made it ("Fwd thread id", a number of its own: nodes whose number is on one track only determine the track).
#pragma once

#include <cstdint>
#include <vector>

#include "derive/trace/attribution.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct BackwardWork {
  // By piece of work.
  std::vector<std::uint32_t> forward;  // the row of the forward operator; none
  std::vector<bool> is_backward;       // launched by the backward pass, whether the forward operator is known or not
};

// O(n log n) in the number of events.
BackwardWork join_backward(const model::Timeline& timeline, const Attribution& attribution);

}  // namespace frx::derive::trace
