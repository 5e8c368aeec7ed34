// Values that a loop loads again in each iteration, because a store of the loop may change them.
//
//   for (int k = first[v]; k < first[v] + count[v]; ++k) out[k] = in[k];       out may be first, or count
//
// nvcc keeps them in registers where all pointers of the loads, or all of the stores, are __restrict__; types do not help it: an int is
// loaded again behind a store of a float (seen in its PTX for sm_80). Such a loop is not unrolled either.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// Is it the same element in all iterations of the loop?
bool is_invariant(const Expressions& e, const Access& access, const Loop& loop) {
  if (e.uses(access.address, Uses::varying | Uses::opaque) || holds_loop_value(e, access.address)) return false;
  return !has_part(e, access.address, [&](ExprId part) { return part == loop.iteration; });
}

// Arrays with extents are those of the program itself.
bool may_be_aliased(const Trace& trace, const Access& access) {
  const Memory& memory = trace.memories[access.memory];
  return memory.space == Space::global && memory.dims.empty() && !memory.is_unaliased && !memory.is_heap;
}

// Does the loop store to that element? A sum that is kept there is told as such.
bool is_stored_in(const Trace& trace, const Access& load, const Loop& loop) {
  constexpr std::uint32_t most_looked_at = 256;
  const std::uint32_t last = std::min(loop.last_access, loop.first_access + most_looked_at);
  return std::any_of(trace.accesses.begin() + loop.first_access, trace.accesses.begin() + last, [&](const Access& other) {
    return other.kind != Access::load && other.memory == load.memory && other.address == load.address;
  });
}

// An unrolled loop loads again as well.
bool has_few_iterations(const Trace& trace, std::uint32_t loop) {
  constexpr std::int64_t few = 5;
  return is_short(trace, loop) && constant_iterations(trace.expressions, trace.loops[loop], few + 1).value_or(few + 1) <= few;
}

// A store of the loop through a pointer that may lead to any other memory; none where there is none.
const Access* aliasing_store(const Trace& trace, const Loop& loop) {
  constexpr std::uint32_t most_looked_at = 256;
  const std::uint32_t last = std::min(loop.last_access, loop.first_access + most_looked_at);
  for (std::uint32_t i = loop.first_access; i < last; ++i) {
    const Access& access = trace.accesses[i];
    if (access.kind != Access::load && may_be_aliased(trace, access)) return &access;
  }
  return nullptr;
}

}  // namespace

void add_reload_facts(const KernelView& view, CodeSubject& into) {
  const Trace& trace = view.trace;
  const Expressions& e = trace.expressions;
  Places places(view);
  std::set<std::pair<std::uint32_t, ExprId>> loads;  // memories and addresses
  const Access *first = nullptr, *store = nullptr;
  for (std::uint32_t l = 0; l < trace.loops.size(); ++l) {
    const Loop& loop = trace.loops[l];
    // What barriers or fences order may be meant for other threads.
    if (loop.first_order != loop.last_order || has_few_iterations(trace, l)) continue;
    const Access* const written = aliasing_store(trace, loop);
    for (std::uint32_t i = loop.first_access; written && i < loop.last_access; ++i) {
      const Access& load = trace.accesses[i];
      if (load.kind != Access::load || load.loop != l || load.is_vague || load.is_guess || load.is_state || !may_be_aliased(trace, load))
        continue;
      if (!is_invariant(e, load, loop) || is_conditional_in(trace, load, loop) || is_stored_in(trace, load, loop)) continue;
      if (!loads.emplace(load.memory, load.address).second) continue;
      if (!first) first = &load, store = written;
      places.add(load.at);
    }
  }
  into.set(Id::reload_count, static_cast<double>(loads.size()), places.take());
  if (!first) return;
  into.set(Id::reload_text, access_text(view, *first));
  into.set(Id::reload_store, std::string(trace.memories[store->memory].name));
}

}  // namespace frx::derive::cuda
