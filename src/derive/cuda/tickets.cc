// The last block of a grid collects what all blocks have written:
//
//   partial[blockIdx.x] = sum; last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1; ... if (last) total += partial[i];
//
// An atomic orders nothing but itself: without __threadfence() the last block may read elements from before the stores of the others.
#include <algorithm>

#include "derive/cuda/shared_races.h"

namespace frx::derive::cuda {
namespace {

constexpr std::size_t most_accesses = 1024;
constexpr std::uint16_t of_a_thread = Uses::thread | Uses::varying | Uses::opaque;

// One number in global memory for the whole grid, and a block looks at what it was.
bool is_ticket(const Trace& trace, const Access& access) {
  if (access.kind != Access::atomic || !access.is_asked || trace.memories[access.memory].space != Space::global) return false;
  return !trace.expressions.uses(access.address, of_a_thread | Uses::block | Uses::iteration | Uses::loaded);
}

// Do the threads that take the ticket come through the condition of the store, or one like it beside it?
bool is_before_ticket(const Trace& trace, const Access& store, const Access& ticket) {
  const Context& of_store = trace.contexts[store.context];
  for (std::uint32_t c = ticket.context; c != none; c = trace.contexts[c].parent) {
    if (c == store.context) return true;
    const Context& context = trace.contexts[c];
    if (context.parent == of_store.parent && context.condition == of_store.condition) return true;
  }
  return false;
}

bool depends_on_data(const Trace& trace, const Access& read) {
  return is_decided_by(trace, read, [&](ExprId id) { return trace.expressions.uses(id, Uses::loaded | Uses::varying); });
}

bool is_fenced(const Trace& trace, std::uint32_t store, std::uint32_t read) {
  return std::ranges::any_of(trace.orders, [&](const OrderSite& order) {
    const bool may_fence = order.kind == OrderSite::fence || order.kind == OrderSite::unknown;
    return may_fence && order.accesses > store && order.accesses <= read;
  });
}

// The element of the block itself is written, and elements of others are read: the number of the block is in one address only.
bool is_of_others(const Trace& trace, const Access& store, const Access& read) {
  const Expressions& e = trace.expressions;
  if (read.kind != Access::load || read.memory != store.memory || read.is_vague || e.uses(read.address, Uses::varying | Uses::opaque))
    return false;
  return e.uses(store.address, Uses::block) && !e.uses(read.address, Uses::block) && e.uses(read.address, Uses::thread | Uses::iteration);
}

}  // namespace

void add_unfenced_tickets(const Trace& trace, Races& races) {
  const std::vector<Access>& all = trace.accesses;
  if (all.size() > most_accesses || trace.uses_groups) return;
  const auto ticket = std::ranges::find_if(all, [&](const Access& access) { return is_ticket(trace, access); });
  if (ticket == all.end()) return;
  const auto taken = static_cast<std::uint32_t>(ticket - all.begin());
  for (std::uint32_t s = 0; s < taken; ++s) {
    if (all[s].kind != Access::store || trace.memories[all[s].memory].space != Space::global || all[s].is_vague) continue;
    if (!is_before_ticket(trace, all[s], *ticket)) continue;
    for (std::uint32_t r = taken + 1; r < all.size(); ++r) {
      if (!is_of_others(trace, all[s], all[r]) || !depends_on_data(trace, all[r]) || is_fenced(trace, s, r)) continue;
      races.between_blocks.push_back({s, r, false});
      break;
    }
  }
}

}  // namespace frx::derive::cuda
