#include "derive/layout/tensor_identities.h"

#include <algorithm>
#include <utility>

namespace frx::derive::layout {
namespace {

std::pair<std::uint32_t, std::uint32_t> place_in_call(const model::TracedInput& one) { return {one.call, one.index}; }

}  // namespace

TensorIdentities::TensorIdentities(const LayoutTrace& trace, const model::ExecutionTrace& execution)
    : execution_(execution), call_of_(trace.nodes().size()) {
  for (const model::OperatorArguments& one : trace.timeline().arguments) {
    const std::uint32_t node = trace.node_of_row(one.event);
    if (node == none) continue;
    const bool counts = trace.nodes()[node].step != none;
    asked_ += counts;
    const auto at = std::ranges::lower_bound(execution.inputs, one.record_function, {}, &model::TracedInput::call);
    if (one.record_function == 0 || at == execution.inputs.end() || at->call != one.record_function) continue;
    call_of_[node] = one.record_function;
    known_ += counts;
  }
}

std::optional<model::TensorIdentity> TensorIdentities::input(std::uint32_t node, std::uint32_t index) const {
  const std::uint32_t call = node == none ? 0 : call_of_[node];
  if (call == 0) return std::nullopt;
  const auto at = std::ranges::lower_bound(execution_.inputs, std::pair(call, index), {}, place_in_call);
  return at != execution_.inputs.end() && at->call == call && at->index == index ? std::optional(at->tensor) : std::nullopt;
}

bool TensorIdentities::is_unchanged(std::uint64_t storage, std::uint32_t one, std::uint32_t other) const {
  const auto [from, to] = std::minmax(call_of_[one], call_of_[other]);
  // A write that begins before the earlier call and ends within or after it stands at its end.
  const auto moment = [](const model::StorageWrite& write) { return std::pair(write.storage, write.moment); };
  const auto next = std::ranges::lower_bound(execution_.writes, std::pair(storage, from), {}, moment);
  return next == execution_.writes.end() || next->storage != storage || next->moment >= to;
}

}  // namespace frx::derive::layout
