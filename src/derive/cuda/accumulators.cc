// Sums that a loop keeps in global memory instead of in a register.
//
//   for (int j = begin; j < end; ++j) y[i] += x[j];       y may be x: y[i] is stored in each iteration, and x[j] is loaded behind that
//   for (int j = 0; j < n; ++j) if (near(j)) ++count[i];   a store that may never happen is not moved behind the loop either
//
// nvcc keeps such an element in a register only where it can prove that nothing else in the loop touches it: the pointer is __restrict__,
// or the loop touches no other memory, and the store is made in each iteration (seen in its PTX for sm_80).
#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// if (a) y[i] += u; else y[i] += v;   Is the same element stored on the other side of that condition?
bool is_stored_otherwise(const Trace& trace, const Loop& loop, std::uint32_t store) {
  constexpr std::uint32_t most_looked_at = 64;
  const Access& one = trace.accesses[store];
  const Context& side = trace.contexts[one.context];
  const std::uint32_t first = std::max(loop.first_access, store - std::min(store, most_looked_at));
  const std::uint32_t last = std::min(loop.last_access, store + most_looked_at);
  for (std::uint32_t i = first; i < last; ++i) {
    const Access& other = trace.accesses[i];
    if (other.kind != Access::store || other.memory != one.memory || other.address != one.address || other.context == one.context) continue;
    const Context& there = trace.contexts[other.context];
    if (there.parent == side.parent && there.at == side.at) return true;
  }
  return false;
}

// Is the element the same in all iterations, and one of this thread?
bool is_one_of_thread(const Expressions& e, ExprId address, ExprId iteration) {
  constexpr auto unknown = Uses::loaded | Uses::varying | Uses::opaque;
  return e.uses(address, Uses::thread) && !e.uses(address, unknown) && !holds_loop_value(e, address) &&
         !has_part(e, address, [&](ExprId part) { return part == iteration; });
}

// Does the loop load from the same place before it stores there?
bool is_loaded_before(const Trace& trace, const Loop& loop, std::uint32_t store) {
  constexpr std::uint32_t most_looked_at = 64;
  const std::uint32_t first = std::max(loop.first_access, store - std::min(store, most_looked_at));
  for (std::uint32_t i = store; i-- > first;) {
    const Access& other = trace.accesses[i];
    if (other.kind == Access::load && other.memory == trace.accesses[store].memory && other.address == trace.accesses[store].address)
      return true;
  }
  return false;
}

bool touches_other_memory(const Trace& trace, const Loop& loop, std::uint32_t memory) {
  constexpr std::uint32_t most_looked_at = 64;
  const std::uint32_t last = std::min(loop.last_access, loop.first_access + most_looked_at);
  for (std::uint32_t i = loop.first_access; i < last; ++i) {
    const Access& other = trace.accesses[i];
    const Space space = trace.memories[other.memory].space;
    if (other.memory != memory && space == Space::global && !trace.memories[other.memory].is_unaliased) return true;
  }
  return false;
}

}  // namespace

void add_accumulator_facts(const KernelView& view, CodeSubject& into) {
  const Trace& trace = view.trace;
  Places places(view);
  std::string_view array;
  bool any_conditional = false;
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& store = trace.accesses[i];
    if (store.kind != Access::store || store.loop == none || store.is_vague || store.is_state || is_short(trace, store.loop)) continue;
    const Memory& memory = trace.memories[store.memory];
    const Loop& loop = trace.loops[store.loop];
    // What barriers or fences order may be meant for other threads.
    if (memory.space != Space::global || memory.is_heap || loop.first_order != loop.last_order) continue;
    if (!is_one_of_thread(trace.expressions, store.address, loop.iteration) || !is_loaded_before(trace, loop, i)) continue;
    const bool conditional = is_conditional_in(trace, store, loop) && !is_stored_otherwise(trace, loop, i);
    if (!conditional && (memory.is_unaliased || !touches_other_memory(trace, loop, store.memory))) continue;
    if (!places.any()) array = memory.name;
    any_conditional = any_conditional || conditional;
    places.add(store.at);
  }
  const bool any = places.any();
  into.set(Id::accumulates_in_memory, any, places.take());
  if (!any) return;
  into.set(Id::accumulator_array, std::string(array));
  into.set(Id::accumulator_reason,
           std::string(any_conditional ? "the store is not made in each iteration, so that it is not moved behind the loop"
                                       : "another pointer of the loop may lead there, so that it is not kept in a register"));
}

}  // namespace frx::derive::cuda
