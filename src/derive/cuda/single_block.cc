// Work that grows with a size but is launched with one block: one multiprocessor of the GPU does all of it.
//
//   for (long i = threadIdx.x; i < n; i += blockDim.x) x[i] += bias[i % c];     k<<<1, 1024>>>(x, bias, n, c);
//
// So is a block of as many threads as there are elements: <<<1, n>>> fails beyond 1,024 besides.
//
// Threads that exchange something need one block, or a second kernel; a loop in which each thread moves its own elements does not. Where
// barriers stand beside the loop, its threads read elements for a sum or a histogram: of a long array, or of what other blocks left. A loop
// that every thread runs, such as one over steps of time, is pedantic. So is a block that the host launches again and again in a loop.
#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/launches.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// The threads of a block take turns up to a size that the launch passes.
bool is_shared_by_threads(const Trace& trace, const Loop& loop) {
  const Expressions& e = trace.expressions;
  const Expr& test = e[loop.condition];
  if (test.op != Op::lt && test.op != Op::le) return false;
  return e.uses(test.a, Uses::thread) && e.uses(test.a, Uses::iteration) && !e.uses(test.b, Uses::thread | Uses::iteration) &&
         holds_parameter(trace, test.b);
}

// Does each thread read and write elements of its own in it, or read them for an exchange? An array that is only filled with a number is
// short, as a rule.
bool moves_elements(const Trace& trace, const Loop& loop, bool is_for_exchange) {
  constexpr auto own = Uses::thread | Uses::loaded | Uses::varying;
  bool reads = false, writes = false;
  for (std::uint32_t i = loop.first_access; i < loop.last_access; ++i) {
    const Access& access = trace.accesses[i];
    if (trace.memories[access.memory].space != Space::global) continue;
    if (access.kind == Access::atomic) return false;
    const bool is_own = trace.expressions.uses(access.address, own) && trace.expressions.uses(access.address, Uses::iteration);
    reads = reads || (access.kind == Access::load && is_own);
    writes = writes || (access.kind == Access::store && is_own);
  }
  return reads && (writes || is_for_exchange);
}

// One thread does something with each element of an array, up to a size that the launch passes. An element that depends on another one
// of the array, as in a sum over those before it, leaves nothing to other threads.
bool is_serial_work(const Trace& trace, const Loop& loop) {
  const Expressions& e = trace.expressions;
  const Expr& test = e[loop.condition];
  if ((test.op != Op::lt && test.op != Op::le) || !e.uses(test.a, Uses::iteration) || !holds_parameter(trace, test.b)) return false;
  constexpr std::size_t most_accesses = 256;
  if (loop.last_access - loop.first_access > most_accesses) return false;
  bool writes = false;
  for (std::uint32_t i = loop.first_access; i < loop.last_access; ++i) {
    const Access& store = trace.accesses[i];
    if (store.kind == Access::load || trace.memories[store.memory].space != Space::global) continue;
    if (!e.uses(store.address, Uses::iteration) || e.uses(store.address, Uses::loaded | Uses::varying | Uses::opaque)) return false;
    for (std::uint32_t k = loop.first_access; k < loop.last_access; ++k) {
      if (trace.accesses[k].memory == store.memory && trace.accesses[k].address != store.address) return false;
    }
    writes = true;
  }
  return writes;
}

// i == 0, of the number of a thread in the grid; blockIdx.x == 0 && threadIdx.x == 0
bool chooses_one_of_grid(const Expressions& e, ExprId condition) {
  bool of_thread = false, of_block = false;
  for_each_conjunct(e, condition, [&](ExprId part, bool is_not) {
    const Expr& x = e[part];
    const bool has_zero = x.op > Op::max && (e.constant_of(x.a) == 0 || e.constant_of(x.b) == 0);
    const bool is_zero = is_not ? x.op <= Op::max || (x.op == Op::ne && has_zero) : x.op == Op::eq && has_zero;
    if (!is_zero || e.uses(part, Uses::clamped | Uses::loaded | Uses::varying | Uses::opaque)) return;
    of_thread = of_thread || e.uses(part, Uses::thread_x);
    of_block = of_block || e.uses(part, Uses::block);
  });
  return of_thread && of_block;
}

// if (i == 0) { for (k = 0; k < n; ++k) sum += a[k]; *out = sum; }: the loop that one thread of the whole grid runs alone, as long as a
// size says, where the kernel does nothing else with global memory; or the end of all loops.
std::vector<Loop>::const_iterator loop_of_lone_thread(const Trace& trace) {
  const Expressions& e = trace.expressions;
  bool stores = false;
  for (const Access& access : trace.accesses) {
    if (trace.memories[access.memory].space != Space::global) continue;
    stores = stores || access.kind != Access::load;
    if (!is_decided_by(trace, access, [&](ExprId condition) { return chooses_one_of_grid(e, condition); })) return trace.loops.end();
  }
  if (!stores) return trace.loops.end();  // it prints something, perhaps
  return std::ranges::find_if(trace.loops, [&](const Loop& loop) {
    const Expr& test = e[loop.condition];
    if ((test.op != Op::lt && test.op != Op::le) || test.a != loop.iteration || e.constant_of(test.b)) return false;
    if (e.uses(test.b, Uses::thread | Uses::iteration | Uses::varying | Uses::opaque)) return false;
    const auto accesses = std::span(trace.accesses).subspan(loop.first_access, loop.last_access - loop.first_access);
    return std::ranges::any_of(accesses, [&](const Access& access) {
      return trace.memories[access.memory].space == Space::global && e.uses(access.address, Uses::iteration);
    });
  });
}

// Does every thread run it, for a size that the launch passes, and touch memory in it?
bool is_run_by_all(const Trace& trace, const Loop& loop) {
  const Expressions& e = trace.expressions;
  const Expr& test = e[loop.condition];
  const bool counts = (test.op == Op::lt || test.op == Op::le) && e.uses(loop.condition, Uses::iteration) &&
                      !e.uses(loop.condition, Uses::thread | Uses::loaded | Uses::varying);
  return counts && loop.first_access < loop.last_access && (holds_parameter(trace, test.a) || holds_parameter(trace, test.b));
}

bool moves_memory(const Trace& trace) {
  const auto is_in = [&](const Access& access) { return trace.memories[access.memory].space == Space::global; };
  const auto is_atomic = [](const Access& access) { return access.kind == Access::atomic; };
  return std::ranges::any_of(trace.accesses, is_in) && std::ranges::none_of(trace.accesses, is_atomic);
}

bool exchanges_something(const Trace& trace) {
  const auto orders = [](const OrderSite& site) { return site.kind != OrderSite::fence; };
  return trace.uses_groups || trace.uses_shuffles || trace.may_synchronize || !trace.collectives.empty() || !trace.warp_barriers.empty() ||
         std::ranges::any_of(trace.orders, orders);
}

}  // namespace

void add_single_block(const KernelView& view, const KernelLaunches& launches, CodeSubject& into) {
  if (launches.count == 0 || launches.kernels != 1) return;
  if (const auto lone = loop_of_lone_thread(view.trace); lone != view.trace.loops.end()) {
    into.set(Id::has_single_block_work, true, {view.place_of(lone->at)});
    into.set(Id::single_block_shares, true);
    into.set(Id::single_block_work,
             fmt::format("thread alone that runs a loop of run-time length (`{}`)", condition_of(view.program, *lone)));
    return;
  }
  if (launches.single_blocks != launches.count) return;
  const Trace& trace = view.trace;
  const bool has_barriers = !trace.barriers.empty(), is_one_thread = launches.block_sizes == std::set<std::uint64_t>{1};
  if (is_one_thread && !trace.launches.empty()) return;  // its own launches do the work
  const auto is_outermost = [](const Loop& loop) { return loop.parent == none; };
  const auto shares_work = [&](const Loop& loop) {
    if (!is_outermost(loop)) return false;
    if (is_one_thread) return is_serial_work(trace, loop);
    return is_shared_by_threads(trace, loop) && moves_elements(trace, loop, has_barriers);
  };
  const auto runs_in_all = [&](const Loop& loop) { return is_outermost(loop) && is_run_by_all(trace, loop); };
  const bool may_be_such = has_barriers || !exchanges_something(trace);
  auto loop = may_be_such ? std::ranges::find_if(trace.loops, shares_work) : trace.loops.end();
  const bool is_shared = loop != trace.loops.end();
  const bool is_of_size = may_be_such && !is_shared && launches.blocks_of_size == launches.count && moves_memory(trace);
  if (may_be_such && !is_shared && !is_of_size) loop = std::ranges::find_if(trace.loops, runs_in_all);
  const auto is_in_global = [&](const Access& access) { return trace.memories[access.memory].space == Space::global; };
  const bool is_relaunched = loop == trace.loops.end() && !is_of_size && launches.in_host_loops == launches.count &&
                             std::ranges::any_of(trace.accesses, is_in_global);
  into.set(Id::has_single_block_work, is_of_size || is_relaunched || loop != trace.loops.end(), launches.places_of_single_blocks);
  into.set(Id::single_block_shares, is_shared || is_of_size);
  if (is_of_size) {
    into.set(Id::single_block_work,
             fmt::format("block of `{}` threads, which fails beyond 1,024", launches.first_block_of_size->size_of_block));
  } else if (is_relaunched) {
    into.set(Id::single_block_work,
             std::string(is_one_thread ? "block of one thread" : "block") + ", again and again in a loop of the host");
  } else if (loop != trace.loops.end()) {
    const std::string_view condition = condition_of(view.program, *loop);
    into.set(Id::single_block_work, fmt::format("{} a loop of run-time length (`{}`)",
                                                is_one_thread ? "block of one thread, which runs"
                                                : is_shared   ? "block, whose threads share"
                                                              : "block, whose threads all run",
                                                condition));
  }
}

}  // namespace frx::derive::cuda
