// Sums that a loop keeps in global memory instead of in a register, as the PTX of nvcc for sm_80 shows:
//
//   for (...) y[i] += x[j];                   y may be x: y[i] is stored in each iteration, before the next x[j] is loaded
//   for (...) y[i] += x[j], z[i] *= x[j];     y may be z as well: y[i] is loaded in each iteration, too
//   for (...) y[i] += __ldg(&x[j]);           the same, since __ldg() is assembly
//   for (...) if (near(j)) ++count[i];        no store is made that may never happen, so that it stays where it is
//   for (...) if (x[j] > y[i]) y[i] = x[j];   the same; y[i] is loaded once
//
// The element stays in a register, and is stored once, where nothing else in the loop can touch it, since the pointer is __restrict__ or
// the loop touches no other memory, and where the store is made in each iteration.
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

// What other accesses of a loop may lead to a memory.
struct Others {
  bool any = false, any_stores = false, any_assembly = false;
};

bool is_assembly(const KernelView& view, const Access& access) {
  const Source& source = view.program.sources()[access.at.source];
  return source.syntax.is(access.at.node, NodeKind::call) && source.text_of(access.at.node).starts_with("__ld");
}

Others others_that_may_lead_to(const KernelView& view, const Loop& loop, std::uint32_t memory) {
  constexpr std::uint32_t most_looked_at = 64;
  const Trace& trace = view.trace;
  const std::uint32_t last = std::min(loop.last_access, loop.first_access + most_looked_at);
  Others others;
  for (std::uint32_t i = loop.first_access; i < last; ++i) {
    const Access& other = trace.accesses[i];
    const Memory& of = trace.memories[other.memory];
    if (other.memory == memory || of.space != Space::global || of.is_unaliased) continue;
    others.any = true;
    others.any_stores = others.any_stores || other.kind != Access::load;
    others.any_assembly = others.any_assembly || is_assembly(view, other);
  }
  return others;
}

// How a loop keeps its sum in memory; the lower ones cost more.
enum class Kept : std::uint8_t { loaded_and_stored, behind_assembly, stored, sometimes_loaded, sometimes_stored, not_kept };

Kept how_kept(const KernelView& view, const Loop& loop, std::uint32_t store) {
  const Trace& trace = view.trace;
  const Access& access = trace.accesses[store];
  const bool is_unaliased = trace.memories[access.memory].is_unaliased;
  const Others others = is_unaliased ? Others() : others_that_may_lead_to(view, loop, access.memory);
  if (is_conditional_in(trace, access, loop) && !is_stored_otherwise(trace, loop, store)) {
    if (access.is_constant) return Kept::not_kept;  // `found[i] = 1` is a flag and no sum
    return access.is_update || others.any_stores || others.any_assembly ? Kept::sometimes_loaded : Kept::sometimes_stored;
  }
  if (others.any_stores) return Kept::loaded_and_stored;
  return others.any_assembly ? Kept::behind_assembly : others.any ? Kept::stored : Kept::not_kept;
}

struct Wording {
  std::string_view what, why;  // `A loop {what} one element of y {why}`
};

Wording wording(Kept kept) {
  switch (kept) {
    case Kept::loaded_and_stored: return {"loads and stores", "in each iteration: another pointer through which it stores may lead there"};
    case Kept::stored: return {"stores", "in each iteration, before it goes on to load: a pointer through which it loads may lead there"};
    case Kept::behind_assembly: return {"loads and stores", "in each iteration: `__ldg()` is assembly, behind which it is loaded again"};
    case Kept::sometimes_loaded:
      return {"loads and stores", "wherever a condition holds: a store that may never be made is not moved behind the loop"};
    default: return {"stores", "wherever a condition holds: a store that may never be made is not moved behind the loop"};
  }
}

}  // namespace

void add_accumulator_facts(const KernelView& view, CodeSubject& into) {
  const Trace& trace = view.trace;
  Places places(view);
  std::string_view array;
  Kept worst = Kept::not_kept;
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& store = trace.accesses[i];
    if (store.kind != Access::store || store.loop == none || store.is_vague || store.is_state || is_short(trace, store.loop)) continue;
    const Memory& memory = trace.memories[store.memory];
    const Loop& loop = trace.loops[store.loop];
    // What barriers or fences order may be meant for other threads.
    if (memory.space != Space::global || memory.is_heap || loop.first_order != loop.last_order) continue;
    if (!is_one_of_thread(trace.expressions, store.address, loop.iteration) || !is_loaded_before(trace, loop, i)) continue;
    const Kept kept = how_kept(view, loop, i);
    if (kept == Kept::not_kept) continue;
    if (kept < worst) array = memory.name;
    worst = std::min(worst, kept);
    places.add(store.at);
  }
  const bool any = places.any();
  into.set(Id::accumulates_in_memory, any, places.take());
  if (!any) return;
  into.set(Id::accumulator_array, std::string(array));
  into.set(Id::accumulator_use, std::string(wording(worst).what));
  into.set(Id::accumulator_reason, std::string(wording(worst).why));
  into.set(Id::accumulates_sometimes, worst == Kept::sometimes_loaded || worst == Kept::sometimes_stored);
}

}  // namespace frx::derive::cuda
