// A grid of a few blocks that the launch fixes, whatever the size of the work: an SM for which there is no block does nothing.
//
//   for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += x[i];     k<<<80, 1024>>>(y, x, n);
//
// Where each thread has an element of its own, the size of the work is as fixed as the grid, and more threads for each element are needed.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/facts.h"
#include "derive/cuda/launches.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

bool touches_global(const Trace& trace, const Loop& loop) {
  const auto first = trace.accesses.begin() + loop.first_access, last = trace.accesses.begin() + loop.last_access;
  return std::any_of(first, last, [&](const Access& access) { return trace.memories[access.memory].space == Space::global; });
}

// Do the threads of the grid take turns in it, up to a size that the launch passes?
bool is_shared_by_grid(const Trace& trace, const Loop& loop) {
  const Expr& test = trace.expressions[loop.condition];
  return (test.op == Op::lt || test.op == Op::le) && is_over_grid(trace.expressions, loop) && holds_parameter(trace, test.b);
}

}  // namespace

void add_fixed_grid(const KernelView& view, const KernelLaunches& launches, std::optional<double> sm_count, CodeSubject& into) {
  if (launches.kernels != 1 || launches.fixed_grids != launches.count || launches.most_blocks < 2) return;
  const Trace& trace = view.trace;
  const auto is_long = [&](const Loop& loop) { return loop.parent == none && touches_global(trace, loop); };
  const auto is_shared = [&](const Loop& loop) { return is_long(loop) && is_shared_by_grid(trace, loop); };
  const auto shared = std::ranges::find_if(trace.loops, is_shared);
  const auto loop = shared != trace.loops.end() ? shared : std::ranges::find_if(trace.loops, is_long);
  if (loop == trace.loops.end()) return;
  const std::string_view condition = condition_of(view.program, *loop);
  into.set(Id::fixed_grid_blocks, static_cast<double>(launches.most_blocks), {launches.with_most_blocks->place});
  into.set(Id::fixed_grid_shares, loop == shared);
  into.set(Id::fixed_grid_fills_gpu, sm_count && static_cast<double>(launches.most_blocks) >= *sm_count);
  const std::string quoted = condition.empty() ? "" : fmt::format(" (`{}`)", condition);
  into.set(Id::fixed_grid_work,
           (loop == shared ? "whatever the length of the loop that its threads share" : "and each of its threads runs a loop") + quoted);
}

}  // namespace frx::derive::cuda
