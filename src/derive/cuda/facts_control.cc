// Facts about control flow: barriers, loops, threads.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "derive/cuda/barrier_segments.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/idle_barriers.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// Barriers that could go, and why. Those of loops are told as such where there are any.
std::pair<Places, std::string_view> needless_barriers(const KernelView& view, bool has_idle_loop) {
  const auto is_shared = [](const Memory& memory) { return memory.space == Space::shared; };
  std::pair<Places, std::string_view> found(view, "");
  const auto look = [&](const std::vector<NodeRef>& sites, std::string_view reason) {
    if (found.first.any() || sites.empty()) return;
    for (const NodeRef at : sites) found.first.add(at);
    found.second = reason;
  };
  if (!has_idle_loop && std::ranges::any_of(view.trace.memories, is_shared)) {
    look(repeated_barriers(view), "Two barriers follow each other, and no memory is accessed in between");
    look(disjoint_barriers(view),
         "A barrier orders nothing: what stands before it, up to the barrier before, and what stands behind it, up to the next one, is in "
         "different memory");
  }
  // Where threads exchange nothing, all of its barriers are told.
  const auto exchanges = [](const Patterns::Exchange& exchange) { return exchange.between_threads; };
  if (std::ranges::any_of(view.trace.memories, is_shared) || std::ranges::any_of(view.patterns.exchanges, exchanges))
    look(trailing_barriers(view), "Nothing follows the last barrier that it would order");
  return found;
}

void add_barriers(const KernelView& view, CodeSubject& into) {
  Places all(view), divergent(view);
  for (std::size_t i = 0; i < view.trace.barriers.size(); ++i) {
    const BarrierSite& barrier = view.trace.barriers[i];
    all.add(barrier.at);
    if (view.patterns.barriers[i] && !barrier.is_collective) divergent.add(barrier.at);
  }
  const IdleBarriers idle = idle_barriers(view);
  Places in_loop(view);
  for (const NodeRef at : idle.sites) in_loop.add(at);
  auto [needless, reason] = needless_barriers(view, !idle.sites.empty());
  const bool any_needless = needless.any();
  into.set(Id::has_repeated_sync, any_needless);
  into.set(Id::needless_sync, any_needless ? std::string(reason)
                                           : fmt::format("{}, but the block shares no memory to order",
                                                         count_text(static_cast<std::size_t>(all.count()), "barrier")));
  into.set(Id::sync_count, all.count());
  into.set(Id::sync_in_loop_count, static_cast<double>(idle.sites.size()), in_loop.take());
  into.set(Id::sync_in_loop_reason, std::string(idle.reason));
  into.set(Id::has_needless_sync, idle.is_needless);
  into.set(Id::has_tree_sync, idle.is_tree);
  const bool any_divergent = divergent.any(), any = all.any();
  into.set(Id::conditional_syncthreads_pattern, any_divergent, divergent.take());
  // Code that cannot be followed may contain a barrier.
  const bool may = view.trace.may_synchronize || view.trace.shared_escapes || view.names.barrier_in_assembly;
  if (any || !may) into.set(Id::has_sync, any, (any_needless ? needless : all).take());
  Places warp(view);
  for (const NodeRef at : view.trace.warp_barriers) warp.add(at);
  into.set(Id::has_syncwarp, warp.any(), warp.take());
  into.set(Id::uses_cooperative_groups, view.trace.uses_groups);
}

void add_threads(const KernelView& view, CodeSubject& into) {
  bool uses_thread = view.names.thread_number_in_assembly, writes = false;
  for (ExprId e = 0; e < view.trace.expressions.size(); ++e) {
    const Op op = view.trace.expressions[e].op;
    uses_thread = uses_thread || (op >= Op::thread_x && op <= Op::thread_z);
  }
  for (const Access& access : view.trace.accesses) {
    writes = writes || (access.kind != Access::load && view.trace.memories[access.memory].space == Space::global);
  }
  // A launch with one thread needs no thread number, and unknown code may use it.
  const bool may_use = view.trace.calls_unknown || view.trace.names_unknown || view.is_launched_by_one_thread || !writes;
  if (uses_thread || !may_use) into.set(Id::has_thread_indexing, uses_thread);
}

}  // namespace

void add_control_facts(const KernelView& view, CodeSubject& into) {
  add_barriers(view, into);
  add_threads(view, into);
  std::set<std::uint32_t> loops;
  for (const Loop& loop : view.trace.loops) loops.insert(loop.at.node);
  into.set(Id::for_count, static_cast<double>(loops.size()));
  into.set(Id::has_loop, !loops.empty());
}

}  // namespace frx::derive::cuda
