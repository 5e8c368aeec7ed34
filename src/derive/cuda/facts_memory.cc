// Facts about global memory: coalescing, reuse, bounds.
#include <map>
#include <set>

#include <fmt/format.h>

#include "derive/cuda/fact_list.h"
#include "derive/cuda/tags.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

bool is_global(const KernelView& view, std::size_t i) { return view.trace.memories[view.trace.accesses[i].memory].space == Space::global; }

// "128 bytes apart", "a run-time size apart", "at uneven distances"
std::string distance(const AccessPattern& pattern) {
  if (pattern.stride_is_symbolic) return "a run-time size apart";
  return pattern.lane_stride ? fmt::format("{} bytes apart", std::abs(*pattern.lane_stride)) : "at uneven distances";
}

void add_coalescing(const KernelView& view, CodeSubject& into) {
  Places spread(view), flat(view), narrow(view), all(view);
  bool any_narrow_load = false;  // gathered elements cannot be read in wider pieces
  const AccessPattern* worst = nullptr;
  std::string worst_text;
  ExprId worst_address = 0;
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    if (!is_global(view, i)) continue;
    const Access& access = view.trace.accesses[i];
    all.add(access.at);
    if (is_flat(view, i)) flat.add(access.at);
    if (is_flat(view, i) && access.bytes <= 4) narrow.add(access.at);
    any_narrow_load = any_narrow_load || (is_flat(view, i) && access.bytes <= 4 && access.kind == Access::load);
    const AccessPattern& pattern = view.patterns.accesses[i];
    if (pattern.kind != AccessPattern::spread) continue;
    spread.add(access.at);
    if (worst && worst->sector_ratio >= pattern.sector_ratio) continue;
    worst = &pattern;
    worst_address = access.address;
    worst_text = view.program.sources()[access.at.source].written(access.at.node);
  }
  into.set(Id::global_access_count, all.count());
  into.set(Id::coalesced_access_count, flat.count());
  into.set(Id::narrow_access_count, any_narrow_load ? narrow.count() : 0.0);
  const bool any_flat = flat.any(), any_spread = spread.any();
  into.set(Id::likely_coalesced_1d, any_flat, flat.take());
  into.set(Id::strided_or_pitched, any_spread, spread.take());
  if (!worst) return;
  into.set(Id::access_text, worst_text.size() > 60 ? worst_text.substr(0, 57) + "..." : worst_text);
  into.set(Id::lane_distance, distance(*worst));
  const bool is_size = worst->stride_is_symbolic || (!worst->lane_stride && view.trace.expressions.uses(worst_address, Uses::uniform));
  into.set(Id::sector_bound,
           fmt::format(fmt::runtime(is_size ? "{:.3g} times, unless that size is small," : "at least {:.3g} times"), worst->sector_ratio));
}

// Arrays that a loop reads and that many threads of a block read at the same places.
void add_reuse(const KernelView& view, CodeSubject& into) {
  std::set<std::uint32_t> reused;
  Places places(view);
  bool is_shared_out = false;  // not the same for all lanes of a warp, which a single load would serve
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Access& access = view.trace.accesses[i];
    const AccessPattern& pattern = view.patterns.accesses[i];
    if (!is_global(view, i) || access.kind != Access::load || access.loop == none || pattern.distinct == 0) continue;
    if (!view.trace.expressions.uses(access.address, Uses::iteration) || is_short(view.trace, access.loop)) continue;
    if (pattern.threads < 32 || pattern.distinct * 4 > pattern.threads) continue;
    reused.insert(access.memory);
    is_shared_out = is_shared_out || pattern.kind != AccessPattern::uniform;
    places.add(access.at);
  }
  into.set(Id::reused_global_arrays, is_shared_out ? static_cast<double>(reused.size()) : 0.0, places.take());
}

bool is_guarded(const KernelView& view, const Access& access) {
  constexpr auto guards = Uses::comparison | Uses::varying | Uses::opaque;
  const Expressions& e = view.trace.expressions;
  if (e.uses(access.address, Uses::clamped) || e.uses(access.alive, guards)) return true;
  for (std::uint32_t c = access.context; c != none && c != 0; c = view.trace.contexts[c].parent) {
    const Context& context = view.trace.contexts[c];
    if (e.uses(context.condition, guards)) return true;
    // for (i = begin; i < min(begin + share, n); ++i)
    if (context.is_loop && e.uses(context.condition, Uses::clamped) && e.uses(context.condition, Uses::uniform)) return true;
  }
  return false;
}

// Does the size of the launch follow from the data? A kernel that queries the size of its grid works with any; memory with an element for
// each thread is as large as the launch.
bool asks_for_the_grid(const Trace& trace) {
  for (ExprId e = 0; e < trace.expressions.size(); ++e) {
    const Op op = trace.expressions[e].op;
    if (op >= Op::grid_dim_x && op <= Op::grid_dim_z) return true;
  }
  return false;
}

// An index of blocks times threads usually exceeds the array; for one that counts only the threads of a block, or rows by blocks and
// columns by threads, or in a kernel with barriers over padded sizes, this is not obvious.
void add_guards(const KernelView& view, CodeSubject& into) {
  Places unguarded(view), indexed(view);
  const bool any_launch_fits = asks_for_the_grid(view.trace);
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Access& access = view.trace.accesses[i];
    const Expressions& e = view.trace.expressions;
    if (!is_global(view, i) || !e.uses(access.address, Uses::thread) || !e.uses(access.address, Uses::block)) continue;
    indexed.add(access.at);
    if (!any_launch_fits && has_global_index(e, access.address) && !is_guarded(view, access)) unguarded.add(access.at);
  }
  const bool any_unguarded = unguarded.any();
  into.set(Id::has_indexed_global, indexed.any(), unguarded.take());
  into.set(Id::has_bounds_guard, !any_unguarded);
}

bool has_narrow_parameters(const KernelView& view) {
  const Source& source = view.source();
  for (const std::uint32_t p : view.function.parameters) {
    const std::uint32_t declarator = source.syntax.child(p, Role::declarator);
    const TypeInfo type = view.program.type(source.text_of(source.syntax.child(p, Role::type)));
    if (indirections(source, declarator) == 1 && type.parts == 1 && type.bytes > 0 && type.bytes <= 4) return true;
  }
  return false;
}

}  // namespace

void add_memory_facts(const KernelView& view, CodeSubject& into) {
  add_coalescing(view, into);
  add_reuse(view, into);
  add_guards(view, into);
  into.set(Id::vectorized, view.names.vector_types);
  into.set(Id::has_scalar_params, has_narrow_parameters(view));
  into.set(Id::read_only_or_constant_cache, view.names.read_only_cache);
}

}  // namespace frx::derive::cuda
