// Facts about control flow: barriers, loops, threads.
#include <algorithm>
#include <optional>
#include <set>

#include "base/units.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/idle_barriers.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

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
  Places repeated(view);
  if (idle.sites.empty()) {
    for (const NodeRef at : repeated_barriers(view)) repeated.add(at);
  }
  const bool any_repeated = repeated.any(),
             has_shared = std::ranges::any_of(view.trace.memories, [](const Memory&memory) { return memory.space == Space::shared; });
  into.set(Id::has_repeated_sync, any_repeated);
  into.set(Id::needless_sync,
           any_repeated && has_shared
               ? std::string("Two barriers follow each other, and no memory is accessed in between")
               : fmt::format("{}, but the block shares no memory to order", count_text(static_cast<std::size_t>(all.count()), "barrier")));
  into.set(Id::sync_count, all.count());
  into.set(Id::sync_in_loop_count, static_cast<double>(idle.sites.size()), in_loop.take());
  into.set(Id::sync_in_loop_reason, std::string(idle.reason));
  into.set(Id::has_needless_sync, idle.is_needless);
  into.set(Id::has_tree_sync, idle.is_tree);
  const bool any_divergent = divergent.any(), any = all.any();
  into.set(Id::conditional_syncthreads_pattern, any_divergent, divergent.take());
  // Code that cannot be followed may contain a barrier.
  const bool may = view.trace.may_synchronize || view.trace.shared_escapes || view.names.barrier_in_assembly;
  if (any || !may) into.set(Id::has_sync, any, (any_repeated ? repeated : all).take());
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
