// Facts about what keeps the index of each thread within the arrays.
#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/partial_guards.h"
#include "derive/cuda/tags.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// i == 0, column == x && row == y
bool names_one_thread(const Expressions& e, ExprId condition) {
  bool found = false;
  for_each_conjunct(e, condition, [&](ExprId id, bool is_not) {
    const Expr& x = e[id];
    const bool compares_thread = x.op == Op::eq && e.uses(x.a, Uses::thread) != e.uses(x.b, Uses::thread);
    found = found || (!is_not && compares_thread && !e.uses(id, Uses::loaded));
  });
  return found;
}

bool is_guarded(const KernelView& view, const Access& access) {
  constexpr auto guards = Uses::comparison | Uses::varying | Uses::opaque;
  const Expressions& e = view.trace.expressions;
  // begin >= min(begin + share, n) is a guard as well.
  if (e.uses(access.address, Uses::clamped) || e.uses(access.alive, guards | Uses::clamped)) return true;
  for (std::uint32_t c = access.context; c != none && c != 0; c = view.trace.contexts[c].parent) {
    const Context& context = view.trace.contexts[c];
    if (e.uses(context.condition, guards) || names_one_thread(e, context.condition)) return true;
    // for (i = begin; i < min(begin + share, n); ++i)
    if (context.is_loop && e.uses(context.condition, Uses::clamped) && e.uses(context.condition, Uses::uniform)) return true;
  }
  return false;
}

// `y * width + x` where launches have blocks beyond the data along one of them, 0 or 1: is it compared with something?
bool is_guarded_along(const KernelView& view, const Access& access, std::size_t axis) {
  constexpr auto unknown = Uses::varying | Uses::opaque | Uses::loaded;
  const auto thread = axis == 0 ? Uses::thread_x : Uses::thread_y;
  const Expressions& e = view.trace.expressions;
  const auto guards = [&](ExprId condition) { return e.uses(condition, thread | unknown); };
  if (!e.uses(access.address, thread) || e.uses(access.address, Uses::clamped | unknown) || guards(access.alive)) return true;
  for (std::uint32_t c = access.context; c != none && c != 0; c = view.trace.contexts[c].parent) {
    if (guards(view.trace.contexts[c].condition)) return true;
  }
  return !has_global_index(e, access.address, static_cast<int>(axis));
}

bool lacks_guard_beyond(const KernelView& view, const Access& access) {
  return (view.has_blocks_beyond[0] && !is_guarded_along(view, access, 0)) ||
         (view.has_blocks_beyond[1] && !is_guarded_along(view, access, 1));
}

// The crossed indices of a kernel along axes of which its launches round up the blocks: blockIdx.y * blockDim.x + threadIdx.x.
std::vector<CrossedIndex> crossed_beyond(const KernelView& view) {
  std::vector<CrossedIndex> found;
  for (std::size_t axis = 0; axis < view.has_blocks_beyond.size() && view.is_block_launched; ++axis) {
    if (!view.has_blocks_beyond[axis]) continue;
    const CrossedIndex index(view.trace.expressions, axis, view.block);
    if (index.is_used_alone()) found.push_back(index);
  }
  return found;
}

// Does nothing but a quotient of the thread's number choose the place? It is one for each warp that is launched, or for each group.
bool is_of_group(const Expressions& e, ExprId address) {
  constexpr std::int64_t least = 2;
  constexpr int most = 64;
  return walk_parts(e, address, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (!e.uses(id, Uses::thread)) return Operands();
    const auto by = e.constant_of(x.b).value_or(0);
    if ((x.op == Op::div && by >= least) || (x.op == Op::shr && by >= 1)) return Operands();
    if (x.op < Op::add || x.op >= Op::neg) return std::nullopt;
    return Operands{x.a, x.b};
  });
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

// Is an address a sum with that term, times sizes perhaps?
bool has_term(const Expressions& e, ExprId address, ExprId term) {
  constexpr int most = 32;
  bool found = false;
  walk_parts(e, address, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    found = id == term;
    if (found) return std::nullopt;
    if (x.op == Op::add) return Operands{x.a, x.b};
    if (x.op != Op::mul) return Operands();
    if (!e.uses(x.b, Uses::thread)) return e.uses(x.a, Uses::thread) ? Operands{x.a} : Operands{x.a, x.b};
    return e.uses(x.a, Uses::thread) ? Operands() : Operands{x.b};
  });
  return found;
}

// Offsets of rows, edges of bins: one more than there are rows.
bool may_have_one_more(std::string_view array) {
  constexpr std::array<std::string_view, 8> words{"ptr", "off", "start", "row", "scan", "bound", "knot", "edge"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(array, word); });
}

// Does the kernel compute with n + 1 or n + 2 of some size? Steps of a tree, for one, have one more node each, and arrays a margin. What
// is added before a division rounds up.
bool counts_more(const Expressions& e) {
  std::set<ExprId> rounded;
  for (ExprId id = 0; id < e.size(); ++id) {
    const Expr& x = e[id];
    if (x.op == Op::div && e.constant_of(x.b).value_or(0) > 2) rounded.insert(x.a);
  }
  for (ExprId id = 0; id < e.size(); ++id) {
    const Expr& x = e[id];
    if (x.op != Op::add || rounded.contains(id)) continue;
    const std::int64_t a = e.constant_of(x.a).value_or(0), b = e.constant_of(x.b).value_or(0);
    if ((e[x.a].op == Op::uniform && b > 0) || (e[x.b].op == Op::uniform && a > 0)) return true;
  }
  return false;
}

// (n + 7) / 8: as many parts as there are, so that the part of that number is beyond them. Half of a size is often the number of the last
// element of a spectrum.
bool is_number_of_parts(const Expressions& e, ExprId id) {
  const Expr& x = e[id];
  constexpr auto others = Uses::index | Uses::varying | Uses::opaque | Uses::loaded | Uses::clamped;
  const std::int64_t by = x.op == Op::div ? e.constant_of(x.b).value_or(0) : 0;
  if (by < 3 || e[x.a].op != Op::add || e.uses(id, others) || !e.uses(id, Uses::uniform)) return false;
  return e.constant_of(e[x.a].a) == by - 1 || e.constant_of(e[x.a].b) == by - 1;
}

// if (i > n) return; a[i]: thread n goes on. Elements that are counted from 1 on have another condition besides, and what is done for
// the last one alone compares with it.
bool lets_one_too_many(const Trace& trace, const Access& access, const std::set<std::pair<ExprId, ExprId>>& equal) {
  constexpr auto unknown = Uses::varying | Uses::opaque | Uses::loaded | Uses::iteration;
  const Expressions& e = trace.expressions;
  if (e.uses(access.address, unknown) || may_have_one_more(trace.memories[access.memory].name)) return false;
  const std::vector<Comparison> guards = comparisons_of(trace, access);
  const auto is_limited = [&](ExprId index) {
    return std::ranges::any_of(
        guards, [&](const Comparison& guard) { return (guard.op != Op::le && guard.left == index) || guard.right == index; });
  };
  const auto begins_at_one = [&](ExprId index) {
    const auto is_one = [&](ExprId part) { return e.constant_of(part).value_or(0) > 0; };
    return e[index].op == Op::add && (is_one(e[index].a) || is_one(e[index].b));
  };
  return std::ranges::any_of(guards, [&](const Comparison& guard) {
    if (guard.op != Op::le || !(is_size(trace, guard.right) || is_number_of_parts(e, guard.right))) return false;
    if (!has_global_index(e, guard.left)) return false;
    if (is_limited(guard.left) || begins_at_one(guard.left) || equal.contains({guard.left, guard.right})) return false;
    return has_term(e, access.address, guard.left);
  });
}

// Are there threads beyond the data, as far as is known?
bool may_exceed(const KernelView& view) {
  return !(view.is_launched || view.is_handed_on) || view.exceeds_data || view.has_blocks_beyond[1];
}

// What the kernel asks to be equal.
std::set<std::pair<ExprId, ExprId>> equalities(const Expressions& e) {
  std::set<std::pair<ExprId, ExprId>> found;
  for (ExprId id = 0; id < e.size(); ++id) {
    if (e[id].op == Op::eq || e[id].op == Op::ne) found.insert({{e[id].a, e[id].b}, {e[id].b, e[id].a}});
  }
  return found;
}

}  // namespace

// An index of blocks times threads usually exceeds the array; for one that counts only the threads of a block, or rows by blocks and
// columns by threads, or in a kernel with barriers over padded sizes, this is not obvious.
void add_guard_facts(const KernelView& view, CodeSubject& into) {
  Places unguarded(view), indexed(view), one_too_far(view), several(view), unlike_others(view), either(view), next_row(view);
  const PartialGuards partial(view);
  const bool fits = (view.is_of_constant_size && !view.exceeds_data && !view.has_blocks_beyond[1]) || view.fits_data,
             any_launch_fits = fits || asks_for_the_grid(view.trace);
  const bool may_be_longer = counts_more(view.trace.expressions);
  const std::vector<CrossedIndex> crossed = crossed_beyond(view);
  const std::set<std::pair<ExprId, ExprId>> equal = equalities(view.trace.expressions);
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Access& access = view.trace.accesses[i];
    const Expressions& e = view.trace.expressions;
    if (!is_global(view, i) || !e.uses(access.address, Uses::thread) || !e.uses(access.address, Uses::block)) continue;
    indexed.add(access.at);
    if (!fits && partial.tests_first_alone(access)) several.add(access.at);
    if (!fits && partial.changes_next_row(access)) next_row.add(access.at);
    const bool is_for_group = access.kind == Access::store && is_of_group(e, access.address);
    const auto is_in_address = [&](const CrossedIndex& index) { return index.is_in(access.address); };
    if (is_for_group || !(has_global_index(e, access.address) || std::ranges::any_of(crossed, is_in_address))) continue;
    if (!may_be_longer && lets_one_too_many(view.trace, access, equal)) one_too_far.add(access.at);
    if (any_launch_fits) continue;
    if (lets_either_through(view.trace, access)) either.add(access.at);
    if (partial.lacks_one_of_others(access)) unlike_others.add(access.at);
    if (!is_guarded(view, access) || lacks_guard_beyond(view, access)) unguarded.add(access.at);
  }
  const bool any_unguarded = unguarded.any();
  std::string missing = "nothing keeps it below the size of the array";
  Places* shown = &unguarded;
  bool is_partial = one_too_far.any();
  if (is_partial) {
    missing = "the guard lets the thread through whose number is the size, one element beyond the array";
    shown = &one_too_far;
  } else if (may_exceed(view) && either.any()) {
    missing = "the guard holds as well where only one of two indices is below its size: && and || are mistaken for each other";
    shown = &either;
    is_partial = true;
  } else if (may_exceed(view) && several.any()) {
    missing = "the guard compares the first of the elements of a thread alone, so that the others may lie beyond the array";
    shown = &several;
    is_partial = true;
  } else if (may_exceed(view) && unlike_others.any()) {
    missing = "one part of it is compared with the size for other accesses of this array, but not for this one";
    shown = &unlike_others;
    is_partial = true;
  }
  if (!is_partial && next_row.any()) {
    missing =
        "the guard compares the number of the element alone: threads behind the end of a row change elements of the next one once more";
    shown = &next_row;
    is_partial = true;
  }
  into.set(Id::has_indexed_global, indexed.any(), shown->take());
  into.set(Id::has_bounds_guard, !any_unguarded);
  into.set(Id::guard_admits_size, is_partial);
  into.set(Id::missing_guard, missing);
  into.set(Id::is_launched, view.is_launched || view.is_handed_on);
  into.set(Id::launch_rounds_up, view.exceeds_data || view.has_blocks_beyond[1]);
}

}  // namespace frx::derive::cuda
