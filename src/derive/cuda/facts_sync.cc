// Facts about what threads exchange without being ordered, and about operations that all threads of a group have to make together.
#include <algorithm>
#include <vector>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/lost_updates.h"
#include "derive/cuda/shared_races.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// The places of the reads (of the writes, where a read is overwritten), and in words what is first and what follows.
void set_races(const KernelView& view, const std::vector<Race>& races, Id fact, Id array, CodeSubject& into) {
  Places places(view);
  for (const Race& race : races) places.add(view.trace.accesses[race.other].at);
  const bool any = places.any();
  into.set(fact, any, places.take());
  if (any) into.set(array, std::string(view.trace.memories[view.trace.accesses[races.front().other].memory].name));
}

void add_races(const KernelView& view, CodeSubject& into) {
  Races races;
  if (!view.names.barrier_in_assembly) races = races_of(view.trace, view.block, view.is_block_launched);
  set_races(view, races.between_warps, Id::unordered_phases, Id::unordered_phases_array, into);
  if (!view.source().is_hip) set_races(view, races.within_warps, Id::unordered_lanes, Id::unordered_lanes_array, into);
  if (view.is_one_block) races.between_blocks.clear();
  set_races(view, races.between_blocks, Id::unordered_blocks, Id::unordered_blocks_array, into);
}

std::string_view cause_of(LostUpdate::Kind kind) {
  switch (kind) {
    case LostUpdate::of_threads: return "threads of a block do it at one address";
    case LostUpdate::of_blocks: return "the threads of one number in all blocks do it at one address";
    case LostUpdate::of_chosen: return "threads for which the data or the arguments say so do it at one address";
    case LostUpdate::of_keys: return "threads for which the data choose the same element do it at one address";
    case LostUpdate::of_indices: break;
  }
  return "threads do it at one address unless each has an index of its own";
}

// Those that are certain before the others.
void add_lost_updates(const KernelView& view, CodeSubject& into) {
  std::vector<LostUpdate> found = lost_updates(view.trace, view.block, view.is_launched && !view.is_one_block);
  std::ranges::stable_sort(found, {}, &LostUpdate::kind);
  Places places(view);
  for (const LostUpdate& one : found) {
    if (one.kind == found.front().kind) places.add(view.trace.accesses[one.access].at);
  }
  into.set(Id::has_lost_updates, !found.empty(), places.take());
  if (found.empty()) return;
  into.set(Id::lost_update_text, access_text(view, view.trace.accesses[found.front().access]));
  into.set(Id::lost_update_cause, std::string(cause_of(found.front().kind)));
  into.set(Id::lost_update_by_index, found.front().kind == LostUpdate::of_indices);
}

// i < n, n - 1 - i >= 0: is it a number of a thread, with constants and numbers of blocks, beside a size, which may have been read, one
// for all?
bool is_beside_size(const Expressions& e, const Expr& comparison) {
  constexpr int most_terms = 32;
  bool has_size = false;
  const auto consider = [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (e.uses(id, Uses::varying)) return std::nullopt;
    if (x.op == Op::add || x.op == Op::sub || x.op == Op::neg) return Operands::all_of(x);
    if (!e.uses(id, Uses::thread_x)) {
      has_size = has_size || e.uses(id, Uses::uniform | Uses::loaded | Uses::opaque);
    } else if (e.uses(id, Uses::loaded)) {
      return std::nullopt;
    }
    return Operands();
  };
  return walk_parts(e, comparison.a, most_terms, consider) && walk_parts(e, comparison.b, most_terms, consider) && has_size;
}

// i < n, or i < n && j < m
bool compares_with_size(const Expressions& e, ExprId condition) {
  constexpr int most = 32;
  return walk_parts(e, condition, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (!e.uses(id, Uses::thread_x | Uses::varying)) return Operands();
    if (x.op == Op::logical_and || x.op == Op::logical_or || x.op == Op::logical_not) return Operands::all_of(x);
    if ((x.op != Op::lt && x.op != Op::le) || !is_beside_size(e, x)) return std::nullopt;
    return Operands();
  });
}

// Do nothing but such comparisons keep lanes from it? Those behind the end of the data often have nothing more to do.
bool is_around_by_size(const Trace& trace, const WarpCollective& site) {
  if (!compares_with_size(trace.expressions, site.stays)) return false;
  for (std::uint32_t c = site.context; c != none; c = trace.contexts[c].parent) {
    if (!compares_with_size(trace.expressions, trace.contexts[c].condition)) return false;
  }
  return true;
}

void add_collectives(const KernelView& view, CodeSubject& into) {
  Places of_block(view), of_warp(view), orphaned(view), legacy(view);
  const Trace& trace = view.trace;
  for (std::size_t i = 0; i < trace.barriers.size(); ++i) {
    if (trace.barriers[i].is_collective && view.patterns.barriers[i]) of_block.add(trace.barriers[i].at);
  }
  for (std::size_t i = 0; i < trace.collectives.size(); ++i) {
    if (view.patterns.collectives[i]) of_block.add(trace.collectives[i].at);
  }
  bool by_data = false;
  for (std::size_t i = 0; i < trace.warp_collectives.size(); ++i) {
    const WarpCollective& site = trace.warp_collectives[i];
    if (view.patterns.orphaned_collectives[i]) orphaned.add(site.at);
    if (!view.patterns.warp_collectives[i]) continue;
    (site.is_of_object ? of_block : of_warp).add(site.at);
    by_data = by_data || !is_around_by_size(trace, site);
  }
  // Beside operations with a mask they are those of an #else for older compilers.
  if (trace.warp_collectives.empty()) {
    for (const NodeRef at : trace.legacy_collectives) legacy.add(at);
  }
  const bool block = of_block.any(), is_orphaned = orphaned.any() && !by_data, warp = of_warp.any() || is_orphaned;
  into.set(Id::partial_block_collective, block, of_block.take());
  into.set(Id::partial_full_mask, warp, (is_orphaned ? orphaned : of_warp).take());
  into.set(Id::partial_by_size, !by_data && !is_orphaned);
  into.set(Id::partial_mask_cause, std::string(is_orphaned ? "others read what lanes hold that have left the kernel at the end of the data"
                                                           : "some of them do not make this operation"));
  into.set(Id::legacy_warp_calls, legacy.count(), legacy.take());
}

// The access that gives a lock back: an exchange whose result is not looked at, or a store of a number.
std::uint32_t release_after(const Trace& trace, const Access& taken, std::uint32_t first) {
  const auto is_same = [&](const Access& other) { return other.memory == taken.memory && other.address == taken.address; };
  for (const Exchange& exchange : trace.exchanges) {
    if (!exchange.decides && exchange.access >= first && is_same(trace.accesses[exchange.access])) return exchange.access;
  }
  for (std::uint32_t i = first; i < trace.accesses.size(); ++i) {
    if (trace.accesses[i].kind == Access::store && trace.accesses[i].is_constant && is_same(trace.accesses[i])) return i;
  }
  return none;
}

// Is a lock taken and given back with stores between them and nothing that makes the last of these visible first? A fence behind the taking
// orders what is read, not what is written.
void add_locks(const KernelView& view, CodeSubject& into) {
  constexpr std::size_t most_exchanges = 64;
  const Trace& trace = view.trace;
  Places places(view);
  for (std::size_t k = 0; k < std::min(trace.exchanges.size(), most_exchanges); ++k) {
    const std::uint32_t taken = trace.exchanges[k].access;
    if (!trace.exchanges[k].decides || trace.expressions.is_unknown(view.trace.accesses[taken].address)) continue;
    const std::uint32_t given = release_after(trace, trace.accesses[taken], taken + 1);
    if (given == none) continue;
    const auto is_guarded = [&](std::uint32_t i) {
      const Access& access = trace.accesses[i];
      const Access& lock = trace.accesses[taken];
      return access.kind == Access::store && (access.memory != lock.memory || access.address != lock.address) &&
             trace.memories[access.memory].space != Space::local;
    };
    std::uint32_t last = given - 1;
    while (last > taken && !is_guarded(last)) --last;
    if (last == taken) continue;
    const auto after = std::ranges::upper_bound(trace.orders, last, {}, &OrderSite::accesses);
    if (after == trace.orders.end() || after->accesses > given) places.add(trace.accesses[given].at);
  }
  const bool any = places.any();
  into.set(Id::unfenced_lock, any, places.take());
}

}  // namespace

void add_synchronization_facts(const KernelView& view, CodeSubject& into) {
  add_races(view, into);
  add_lost_updates(view, into);
  add_collectives(view, into);
  add_locks(view, into);
}

}  // namespace frx::derive::cuda
