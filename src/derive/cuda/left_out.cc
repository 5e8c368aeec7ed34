// Elements behind the last whole block, which no thread gets to:
//
//   k<<<n / 256, 256>>>(x, n);       if (i < n) x[i] *= 2;        the last n % 256 of them
//
// The comparison shows that the kernel expects a rest. Where threads go on by the size of the grid, it leaves nothing out.
#include <algorithm>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/launches.h"

namespace frx::derive::cuda {
namespace {

// i < n, with a number of the thread in the grid on one side and nothing but sizes on the other.
bool compares_with_size(const Expressions& e, ExprId condition) {
  constexpr auto own = Uses::thread | Uses::block | Uses::iteration | Uses::varying | Uses::opaque;
  bool found = false;
  for_each_conjunct(e, condition, [&](ExprId part, bool) {
    const Expr& x = e[part];
    if (x.op != Op::lt && x.op != Op::le) return;
    for (const auto& [number, size] : {std::pair(x.a, x.b), std::pair(x.b, x.a)})
      found = found || (e.uses(number, Uses::thread_x) && e.uses(number, Uses::block) && e.uses(size, Uses::uniform) && !e.uses(size, own));
  });
  return found;
}

}  // namespace

void add_left_out(const KernelView& view, const KernelLaunches& launches, model::CodeSubject& into) {
  if (launches.kernels != 1 || launches.count == 0 || launches.rounded_down != launches.count) return;
  const Trace& trace = view.trace;
  const Expressions& e = trace.expressions;
  const bool goes_on = std::ranges::any_of(trace.loops, [&](const Loop& loop) { return is_over_grid(e, loop); });
  const auto is_guard = [&](const Context& context) { return !context.is_loop && compares_with_size(e, context.condition); };
  const auto is_behind_guard = [&](const Access& access) { return compares_with_size(e, access.alive); };
  const bool has_guard = std::ranges::any_of(trace.contexts, is_guard) || std::ranges::any_of(trace.accesses, is_behind_guard);
  if (goes_on || !has_guard) return;
  into.set(model::CodeFactId::leaves_out_rest, true, {launches.first_rounded_down->place});
  into.set(model::CodeFactId::rounded_down_grid, launches.first_rounded_down->grid_expr);
}

}  // namespace frx::derive::cuda
