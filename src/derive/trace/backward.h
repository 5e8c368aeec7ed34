// Which operator of the forward pass a piece of GPU work of the backward pass belongs to.
//
// PyTorch numbers the nodes of its graph of gradients per thread ("Sequence number"). Operators of the forward pass carry the
// number that the next node will get, so the last of them before the node is the one that made it. Operators of the
// backward pass carry the number of their node, and which thread made it ("Fwd thread id", a number of its own: which track
// that is shows in the nodes whose number stands on one track only).
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
