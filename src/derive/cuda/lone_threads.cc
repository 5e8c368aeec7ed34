#include "derive/cuda/lone_threads.h"

#include <algorithm>
#include <set>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/loop_counts.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

constexpr std::int64_t least_iterations = 64;  // of a loop that is long for one thread
constexpr std::int64_t few_iterations = 16;    // of one that a warp would do at once; the sums of eight warps are added as fast as that

bool is_within(const BranchSite& site, NodeRef at) {
  return at.source == site.at.source && at.node >= site.consequence && at.node < site.last;
}

// for (i = 0; i < blockDim.x / 32; ++i): an iteration for each warp.
bool is_of_warps(const Expressions& e, const Loop& loop) {
  const Expr& test = e[loop.condition];
  if ((test.op != Op::lt && test.op != Op::le) || !e.uses(test.a, Uses::iteration)) return false;
  const Expr& limit = e[test.b];
  const auto by = e.constant_of(limit.b);
  const bool is_share = (limit.op == Op::div && by == std::int64_t{warp::lane_count}) || (limit.op == Op::shr && by == 5);
  return is_share && !e.uses(test.b, Uses::index | Uses::varying | Uses::opaque | Uses::loaded);
}

// for (i = 0; i < blockDim.x; ++i): does a loop run for as many iterations as a block has threads, or for 64, as far as the code tells?
bool is_of_block(const Expressions& e, const Loop& loop) {
  constexpr auto unknown = Uses::loaded | Uses::varying | Uses::opaque;
  const auto is_block_size = [&](ExprId part) { return e[part].op == Op::block_dim_x; };
  return (has_part(e, loop.condition, is_block_size) && !e.uses(loop.condition, unknown)) || runs_at_least(e, loop, least_iterations);
}

// if (threadIdx.x == 0) ...
bool is_for_one_thread(const KernelView& view, const BranchSite& site) {
  const Expressions& e = view.trace.expressions;
  const Op op = e[site.condition].op;
  if (site.alternative != none || (op != Op::eq && op != Op::logical_not) || view.trace.barriers.empty()) return false;
  constexpr auto of_more = Uses::block | Uses::loaded | Uses::iteration | Uses::clamped;
  if (e.uses(site.condition, of_more) || !e.uses(site.condition, Uses::thread_x) || view.block.threads() <= warp::lane_count) return false;
  const bool is_line = view.block.y * view.block.z == 1;
  return is_line || e.uses(site.condition, Uses::thread_y);  // else one thread of each row
}

// tile = tiles[blockIdx.x]: a record for which one thread needs as many accesses of 16 bytes, the widest ones, as the iterations of a long
// loop.
bool copies_large_record(const Trace& trace, const BranchSite& site) {
  constexpr std::int64_t least_bytes = least_iterations * 16;
  for (std::uint32_t i = site.first_access; i < site.last_access; ++i) {
    const Access& access = trace.accesses[i];
    if (!access.is_guess && access.bytes >= least_bytes && is_within(site, access.at)) return true;
  }
  return false;
}

}  // namespace

LoneThreads::LoneThreads(const KernelView& view) : view_(view) {
  const Expressions& e = view.trace.expressions;
  for (const Loop& loop : view.trace.loops) {
    const Expr& test = e[loop.condition];
    const std::optional<ExprId> end = end_of(e, test);
    if (!end || e.constant_of(*end) || !e.uses(test.a, Uses::thread_x) || !e.uses(test.a, Uses::iteration)) continue;
    if (!e.uses(test.a, Uses::loaded | Uses::varying | Uses::opaque)) shared_lengths_.insert(*end);
  }
}

bool LoneThreads::is_shared_elsewhere(const Loop& loop) const {
  const auto length = counted_length(view_.trace.expressions, loop);
  return length && shared_lengths_.contains(*length);
}

// for (i = 0; i < blockDim.x; ++i) sum += s[i]. Not a loop of fewer iterations than those above, or of a number that memory decides.
LoneWork LoneThreads::longest_loop(const BranchSite& site) const {
  const Trace& trace = view_.trace;
  const Expressions& e = trace.expressions;
  const bool has_many_warps = view_.is_block_launched && view_.block.threads() >= few_iterations * warp::lane_count;
  std::set<std::uint32_t> seen;  // loops
  LoneWork longest = LoneWork::nothing;
  for (std::uint32_t i = site.first_access; i < site.last_access; ++i) {
    const Access& access = trace.accesses[i];
    const Space space = trace.memories[access.memory].space;
    if ((space != Space::shared && space != Space::global) || !e.uses(access.address, Uses::iteration)) continue;
    for (std::uint32_t l = access.loop; l != none && seen.insert(l).second; l = trace.loops[l].parent) {
      const Loop& loop = trace.loops[l];
      if (!is_within(site, loop.at)) continue;
      const bool has_one_for_warp = is_of_warps(e, loop);
      if (!has_one_for_warp && (is_of_block(e, loop) || is_shared_elsewhere(loop))) return LoneWork::loop_of_block;
      const bool has_some = has_one_for_warp ? has_many_warps : runs_at_least(e, loop, few_iterations);
      if (space == Space::shared && has_some) longest = LoneWork::loop_of_warps;
    }
  }
  return longest;
}

LoneWork LoneThreads::work_of(const BranchSite& site) const {
  if (!is_for_one_thread(view_, site)) return LoneWork::nothing;
  const LoneWork loop = longest_loop(site);
  return loop != LoneWork::loop_of_block && copies_large_record(view_.trace, site) ? LoneWork::large_record : loop;
}

bool is_long_work_of_one_lane(const Trace& trace, const BranchSite& site) {
  const Op op = trace.expressions[site.condition].op;
  if (site.consequence == none || site.alternative != none || (op != Op::eq && op != Op::logical_not)) return false;
  const std::uint32_t in_source = site.at.source;
  for (const Loop& loop : trace.loops) {
    if (loop.at.source != in_source || loop.parent == none) continue;
    const Loop& around = trace.loops[loop.parent];
    const auto number = static_cast<std::uint32_t>(&loop - trace.loops.data());
    if (!is_within(site, around.at) || is_short(trace, number) || is_short(trace, loop.parent)) continue;
    constexpr std::uint16_t unknown = Uses::loaded | Uses::varying | Uses::opaque;
    if (!trace.expressions.uses(loop.condition, unknown) && !trace.expressions.uses(around.condition, unknown)) return true;
  }
  return false;
}

}  // namespace frx::derive::cuda
