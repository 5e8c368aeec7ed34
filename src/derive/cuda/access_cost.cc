#include "derive/cuda/access_cost.h"

#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {
namespace {

// How often an access is made, as far as loops and conditions say: one in a loop counts like many outside of it, and what is done only for
// some of the data is done seldom.
double times_made(const Trace& trace, const Access& access) {
  constexpr double of_short_loop = 4, of_loop = 32, of_some_data = 0.2, most = 1e6, least = 1e-3;
  double times = 1;
  for (std::uint32_t loop = access.loop; loop != none && times < most; loop = trace.loops[loop].parent)
    times *= is_short(trace, loop) ? of_short_loop : of_loop;
  for (std::uint32_t c = access.context; c != none && times > least; c = trace.contexts[c].parent) {
    const Context& context = trace.contexts[c];
    if (!context.is_loop && trace.expressions.uses(context.condition, Uses::varying | Uses::loaded)) times *= of_some_data;
  }
  return times;
}

// Sectors of 32 bytes that a warp needs for an access, and those that it touches.
struct Sectors {
  double needed = 0, touched = 0;
};

Sectors sectors_of(const Access& access, const AccessPattern& pattern) {
  constexpr double of_gather = 16;  // some of the elements that the data chooses share a sector
  const double dense = access.bytes == 0 ? 4 : access.bytes;
  switch (pattern.kind) {
    case AccessPattern::uniform: return {1, 1};
    case AccessPattern::spread: return {dense, dense * pattern.sector_ratio};
    case AccessPattern::data_dependent: return {of_gather, of_gather};
    default: return {dense, dense};
  }
}

}  // namespace

double wasted_share(const KernelView& view) {
  double wasted = 0, all = 0;
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    if (!is_global(view, i)) continue;
    const Access& access = view.trace.accesses[i];
    const Sectors sectors = sectors_of(access, view.patterns.accesses[i]);
    const double times = times_made(view.trace, access);
    wasted += times * (sectors.touched - sectors.needed);
    all += times * sectors.touched;
  }
  return all > 0 ? wasted / all : 0;
}

// A row length is used beside a place within the row: a loop or another dimension of the block.
bool is_lone_stride(const Expressions& e, const AccessPattern& pattern, ExprId address) {
  if (pattern.is_own_row) return false;
  // n / 1024 + 1 elements for each thread: one, for most sizes.
  constexpr std::int64_t least_threads = 256;
  const auto is_share = [&](ExprId part) {
    const Expr& x = e[part];
    return x.op == Op::div && !e.uses(part, Uses::thread) && e.uses(x.a, Uses::uniform) && e.constant_of(x.b).value_or(0) >= least_threads;
  };
  if (has_part(e, address, is_share)) return true;
  if (!pattern.stride_is_symbolic) return !pattern.lane_stride && e.uses(address, Uses::clamped) && e.uses(address, Uses::uniform);
  if (e.uses(address, Uses::loaded | Uses::clamped)) return true;
  if (e.uses(address, Uses::iteration | Uses::thread_y | Uses::thread_z)) return false;
  const auto is_beside = [&](ExprId part) {
    const Op op = e[part].op;
    return op == Op::block_y || op == Op::block_z || op == Op::loop_value || op == Op::iteration;
  };
  return !has_part(e, address, is_beside);
}

bool is_over_grid(const Expressions& e, const Loop& loop) {
  const auto steps_by_grid = [&](ExprId iteration, ExprId step) {
    return iteration == loop.iteration &&
           has_part(e, step, [&](ExprId size) { return e[size].op >= Op::grid_dim_x && e[size].op <= Op::grid_dim_z; });
  };
  return has_part(e, loop.condition, [&](ExprId part) {
    const Expr& x = e[part];
    return x.op == Op::mul && (steps_by_grid(x.a, x.b) || steps_by_grid(x.b, x.a));
  });
}

bool is_repeated(const Trace& trace, const Access& access) {
  for (std::uint32_t l = access.loop; l != none; l = trace.loops[l].parent) {
    if (!is_over_grid(trace.expressions, trace.loops[l])) return true;
  }
  return false;
}

bool is_conditional_in(const Trace& trace, const Access& access, const Loop& loop) {
  for (std::uint32_t c = access.context; c != none && c != 0 && c != loop.context; c = trace.contexts[c].parent) {
    if (trace.contexts[c].is_loop && trace.contexts[c].at == loop.at) return false;
    if (!trace.contexts[c].is_loop && !trace.expressions.constant_of(trace.contexts[c].condition)) return true;
  }
  return false;
}

bool is_chosen_by_data(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  return is_decided_by(trace, access,
                       [&](ExprId id) { return e.uses(id, Uses::varying) || (e.uses(id, Uses::loaded) && e.uses(id, Uses::thread)); });
}

bool is_of_one_thread(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  const auto elects = [&](ExprId condition) {
    const Expr& x = e[condition];
    if (x.op != Op::eq) return false;
    const auto is_number_of_thread = [&](ExprId id) {
      return e.uses(id, Uses::thread_x) && e.uses(id, Uses::block) &&
             !e.uses(id, Uses::loaded | Uses::clamped | Uses::varying | Uses::opaque);
    };
    const auto is_same_for_all = [&](ExprId id) { return !e.uses(id, Uses::thread | Uses::loaded | Uses::varying | Uses::opaque); };
    return (is_number_of_thread(x.a) && is_same_for_all(x.b)) || (is_number_of_thread(x.b) && is_same_for_all(x.a));
  };
  for (std::uint32_t c = access.context; c != none && c != 0; c = trace.contexts[c].parent) {
    bool is_one = false;  // x == 50 && y == 57
    for_each_conjunct(e, trace.contexts[c].condition, [&](ExprId part, bool is_not) { is_one = is_one || (!is_not && elects(part)); });
    if (is_one) return true;
  }
  return false;
}

}  // namespace frx::derive::cuda
