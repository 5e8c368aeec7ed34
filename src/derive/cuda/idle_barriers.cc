// Barriers in loops that order nothing, or more of them than the work needs.
//
//   for (...) { s[t] = a[i]; __syncthreads(); b[i] = s[t]; __syncthreads(); }   each thread reads what it wrote itself
//   for (...) { __syncthreads(); ...; __syncthreads(); }                        the last of a round and the first of the next
//   for (r = 0; r < rows; ++r) for (d = 16; d > 0; d /= 2) {                    the rounds have rows of their own: each step could be
//     if (t < d) s[r][t] += s[r][t + d]; __syncthreads(); }                     made for all rows, with one barrier behind it
//
// Nothing is said where code that is not seen may exchange something.
#include "derive/cuda/idle_barriers.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/unseen_accesses.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

constexpr std::size_t worth_saying = 3;  // barriers in a round

// Excludes barriers that are executed depending on a parameter of the template or of the kernel.
bool is_in_each_round(const Trace& trace, const BarrierSite& barrier) {
  constexpr auto of_a_thread = Uses::thread | Uses::block | Uses::iteration | Uses::varying | Uses::opaque;
  for (std::uint32_t c = barrier.context; c != none; c = trace.contexts[c].parent) {
    const Context& context = trace.contexts[c];
    if (context.is_loop && context.at == trace.loops[barrier.loop].at) return true;
    if (!context.is_loop && !trace.expressions.constant_of(context.condition) && !trace.expressions.uses(context.condition, of_a_thread))
      return false;
  }
  return true;
}

// By order: does a loop end behind it whose condition was read from memory, once more than its body has run?
std::vector<bool> ends_of_read_conditions(const Trace& trace) {
  std::vector<bool> found(trace.orders.size() + 1);
  for (const Loop& loop : trace.loops) {
    if (trace.expressions.uses(loop.condition, Uses::loaded)) found[loop.last_order] = true;
  }
  return found;
}

// Does a loop pass a barrier with nothing in memory accessed since the one before, in this iteration or in the last one?
bool has_idle_barrier(const Trace& trace, const Loop& loop, const std::vector<bool>& reads_before) {
  std::optional<std::uint32_t> first, last;
  for (std::uint32_t i = loop.first_order; i < loop.last_order; ++i) {
    const OrderSite& order = trace.orders[i];
    if (order.kind != OrderSite::block) return false;
    if (last == order.accesses && !reads_before[i]) return true;
    if (!first) first = order.accesses;
    last = order.accesses;
  }
  return first == loop.first_access && last == loop.last_access && loop.last_order - loop.first_order > 1 && !reads_before[loop.last_order];
}

class LoopBarriers {
 public:
  explicit LoopBarriers(const KernelView& view) : view_(view), trace_(view.trace), e_(view.trace.expressions), unseen_(view) {}

  // Each thread of the block touches elements of its own only, for as long as the loop runs.
  bool exchanges_nothing(const Loop& loop) const {
    if (may_exchange_unseen(loop)) return false;
    std::unordered_map<std::uint32_t, Use> uses;  // by memory
    for (std::uint32_t i = loop.first_access; i < loop.last_access; ++i) {
      const Access& access = trace_.accesses[i];
      const Space space = trace_.memories[access.memory].space;
      if (space == Space::local || space == Space::constant) continue;
      if (access.is_asked) return false;
      Use& use = uses[access.memory];
      const bool is_first = use.count++ == 0;
      use.is_one = !access.is_vague && (is_first || (use.is_one && use.address == access.address));
      use.address = access.address;
      use.is_written = use.is_written || access.kind != Access::load;
      use.is_atomic = (is_first || use.is_atomic) && access.kind == Access::atomic;
    }
    return std::ranges::all_of(uses, [&](const auto& one) {
      const auto& [memory, use] = one;
      if (!use.is_written) return is_settled_before(memory, loop);
      // What is only added up or only written is not exchanged, unless something reads it.
      if ((use.is_atomic || use.is_one) && !is_read(memory) && !holds_loop_value(e_, use.address)) return true;
      return use.is_one && is_of_one_thread(use.address);
    });
  }

  // All that the loop touches in shared memory belongs to one of its rounds.
  bool has_independent_rounds(const Loop& loop) const {
    if (loop.halved != 0 || loop.doubled != 0 || loop.shift != 0 || e_.constant_of(loop.condition)) return false;
    bool writes = false;
    for (std::uint32_t i = loop.first_access; i < loop.last_access; ++i) {
      const Access& access = trace_.accesses[i];
      if (trace_.memories[access.memory].space != Space::shared) continue;
      if (!steps_evenly(access.address, loop.iteration)) return false;
      writes = writes || (access.kind == Access::store && e_.uses(access.address, Uses::thread));
    }
    const auto is_block = [](const OrderSite& order) { return order.kind == OrderSite::block; };
    return writes && std::all_of(trace_.orders.begin() + loop.first_order, trace_.orders.begin() + loop.last_order, is_block);
  }

  bool has_unseen_access(const Loop& loop) const { return unseen_.any_in(loop); }

 private:
  struct Use {
    ExprId address = 0;
    std::uint32_t count = 0;
    bool is_one = false, is_written = false, is_atomic = false;
  };

  bool is_read(std::uint32_t memory) const {
    return std::ranges::any_of(trace_.accesses, [&](const Access& a) { return a.memory == memory && a.kind == Access::load; });
  }

  // Functions that are not seen, fences and groups of several blocks; a function that is passed to the kernel cannot reach shared memory
  // that it is not given.
  bool may_exchange_unseen(const Loop& loop) const {
    if (trace_.uses_groups || trace_.shared_escapes || !trace_.collectives.empty() || view_.names.barrier_in_assembly) return true;
    if (has_unseen_access(loop)) return true;
    const bool has_shared = std::ranges::any_of(trace_.memories, [](const Memory& m) { return m.space == Space::shared; });
    const bool may_hide = trace_.may_synchronize || has_shared;
    for (std::uint32_t i = loop.first_order; i < loop.last_order; ++i) {
      const OrderSite::Kind kind = trace_.orders[i].kind;
      if (kind == OrderSite::fence || (kind == OrderSite::unknown && may_hide)) return true;
    }
    return false;
  }

  // Does each element belong to one thread of the block, whatever rounds the threads are in? A variable that a loop changes in no simple
  // way may be a pointer that is swapped with another.
  bool is_of_one_thread(ExprId address) const {
    if (!e_.uses(address, Uses::thread) || holds_loop_value(e_, address)) return false;
    std::vector<std::pair<std::int64_t, std::uint32_t>> touched;  // addresses, and the threads
    for (const Lanes& lanes : rounds()) {
      if (!lanes.is_known(address)) return false;
      for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) touched.emplace_back(lanes.at(address, lane), lanes.thread_of(lane));
    }
    std::ranges::sort(touched);
    const auto is_shared = [](const auto& one, const auto& next) { return one.first == next.first && one.second != next.second; };
    return std::ranges::adjacent_find(touched, is_shared) == touched.end();
  }

  // A few rounds of all loops.
  const std::deque<Lanes>& rounds() const {
    constexpr std::int64_t most = 4;
    for (auto n = static_cast<std::int64_t>(rounds_.size()); n < most; ++n)
      rounds_.emplace_back(e_, Sample{.kind = Sample::large_odd, .block = view_.block, .iteration = n});
    return rounds_;
  }

  // What the loop reads was written before it, and a barrier stands in between, or is not written at all.
  bool is_settled_before(std::uint32_t memory, const Loop& loop) const {
    for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      const bool is_within = i >= loop.first_access && i < loop.last_access;
      if (is_within || trace_.accesses[i].memory != memory || trace_.accesses[i].kind == Access::load) continue;
      if (i >= loop.last_access && loop.parent == none) continue;
      const auto after = std::ranges::upper_bound(trace_.orders, i, {}, &OrderSite::accesses);
      const auto is_barrier = [](const OrderSite& order) { return order.kind == OrderSite::block; };
      const auto end = trace_.orders.begin() + loop.first_order;
      if (i >= loop.last_access || after >= end || std::find_if(after, end, is_barrier) == end) return false;
    }
    return true;
  }

  // `row * 64 + t`: the round is added, times a size perhaps, and not cut.
  bool steps_evenly(ExprId address, ExprId iteration) const {
    constexpr int most = 64;
    bool any = false;
    const auto consider = [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      if (id == iteration) any = true;
      if (id == iteration || !e_.uses(id, Uses::iteration)) return Operands();
      if (x.op == Op::add || x.op == Op::sub) return Operands{x.a, x.b};
      if (x.op == Op::mul && e_.uses(x.a, Uses::iteration) != e_.uses(x.b, Uses::iteration)) {
        return Operands{e_.uses(x.a, Uses::iteration) ? x.a : x.b};
      }
      return holds(id, iteration) ? std::nullopt : std::optional(Operands());
    };
    return walk_parts(e_, address, most, consider) && any;
  }

  bool holds(ExprId root, ExprId wanted) const {
    constexpr int most = 64;
    return !walk_parts(e_, root, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      if (id == wanted) return std::nullopt;
      return e_.uses(id, Uses::iteration) ? Operands::all_of(x) : Operands();
    });
  }

  const KernelView& view_;
  const Trace& trace_;
  const Expressions& e_;
  mutable std::deque<Lanes> rounds_;
  UnseenAccesses unseen_;
};

// Does nothing but a loop stand around `inner`, within what stands around `outer`?
bool is_only_in_loop(const Trace& trace, std::uint32_t inner, std::uint32_t outer) {
  std::uint32_t c = inner;
  for (; c != none && c != outer; c = trace.contexts[c].parent) {
    if (!trace.contexts[c].is_loop) return false;
  }
  return c == outer && inner != outer;
}

// __syncthreads(); for (...) { __syncthreads(); ... } __syncthreads();   The last one counts where the loop has no iteration.
bool is_before_loop(const Trace& trace, const BarrierSite& before, const BarrierSite& after) {
  if (after.loop == none || trace.loops[after.loop].parent != before.loop || !is_only_in_loop(trace, after.context, before.context))
    return false;
  const Loop& loop = trace.loops[after.loop];
  if (loop.halved != 0 || loop.shift == -1) return true;  // a tree without a step has one element, that of the thread which reads it
  return loop.last_order < trace.orders.size() && trace.orders[loop.last_order].kind == OrderSite::block &&
         trace.orders[loop.last_order].accesses == loop.last_access;
}

// for (s = 128; s > 0; s /= 2) { ...; __syncthreads(); } __syncthreads();
bool is_behind_tree(const Trace& trace, const BarrierSite& before, const BarrierSite& after) {
  if (before.loop == none || trace.loops[before.loop].parent != after.loop || !is_only_in_loop(trace, before.context, after.context))
    return false;
  const Loop& loop = trace.loops[before.loop];
  return loop.halved != 0 || loop.doubled != 0 || loop.shift != 0;
}

// threadIdx.x, or threadIdx.x + threadIdx.y * blockDim.x in a block with rows: in the order of the warps, so that the first ones are one
// warp.
bool is_number_of_thread(const KernelView& view, ExprId id) {
  if (!view.trace.expressions.uses(id, Uses::thread_x)) return false;
  const Lanes lanes(view.trace.expressions, Sample{.kind = Sample::large_odd, .block = view.block, .iteration = 0});
  if (!lanes.is_known(id)) return false;
  for (std::uint32_t lane = 0; lane < std::min(lanes.count(), 2 * warp::lane_count); ++lane) {
    if (lanes.at(id, lane) != lane) return false;
  }
  return true;
}

// for (s = 128; s > 0; s >>= 1) { if (threadIdx.x < s) a[threadIdx.x] += a[threadIdx.x + s]; __syncthreads(); }
bool is_halving_tree(const KernelView& view, const Loop& loop) {
  const Trace& trace = view.trace;
  const Expressions& e = trace.expressions;
  if (view.block.threads() <= 2 * warp::lane_count) return false;
  // d > 0, d >= 1 or d != 0: down to the last step.
  const Expr& again = e[loop.condition];
  const auto least = e.constant_of(again.a), limit = e.constant_of(again.b);
  const bool is_whole = (again.op == Op::lt && least == 0) || (again.op == Op::le && least == 1) || (again.op == Op::ne && limit == 0);
  if (!is_whole) return false;
  const auto is_step = [&](ExprId id) {
    if (loop.halved != 0 && id == loop.halved) return true;
    return loop.shift == -1 && e[id].op == Op::shr && has_part(e, id, [&](ExprId part) { return part == loop.iteration; });
  };
  for (std::uint32_t i = loop.first_access; i < loop.last_access; ++i) {
    const Access& access = trace.accesses[i];
    const Memory& memory = trace.memories[access.memory];
    if (access.kind != Access::store || memory.space != Space::shared || access.context == none) continue;
    const auto length = memory.dims.size() == 1 ? e.constant_of(memory.dims[0]) : std::nullopt;
    if (length && *length <= 2 * warp::lane_count) continue;  // a block of one or two warps
    for (std::uint32_t c = access.context; c != none && c != 0; c = trace.contexts[c].parent) {
      bool has_small_side = false;
      for_each_conjunct(e, trace.contexts[c].condition, [&](ExprId part, bool is_not) {
        const Expr& test = e[part];
        has_small_side = has_small_side || (!is_not && test.op == Op::lt && is_step(test.b) && is_number_of_thread(view, test.a));
      });
      if (!trace.contexts[c].is_loop && has_small_side) return true;
    }
  }
  return false;
}

// if (t < 16) s[t] += s[t + 16]; if (t < 8) s[t] += s[t + 8]; ...   with a barrier behind each: the steps of a tree, one by one.
class WrittenTree {
 public:
  explicit WrittenTree(const KernelView& view)
      : trace_(view.trace), e_(view.trace.expressions), lanes_(e_, {.kind = Sample::large_odd, .block = view.block, .iteration = 0}) {}

  // The barriers behind the steps of one warp alone that a loop makes in each iteration; nothing where it makes few.
  std::vector<NodeRef> steps_in(std::uint32_t loop) const {
    constexpr std::size_t fewest_steps = 4;
    std::vector<NodeRef> sites;
    std::set<std::int64_t> steps;
    std::optional<std::uint32_t> before;
    for (const BarrierSite& barrier : trace_.barriers) {
      if (barrier.loop != loop || barrier.is_named || barrier.is_collective) continue;
      const std::int64_t threads = before ? threads_of_step(*before, barrier.accesses) : 0;
      if (threads > 0 && steps.insert(threads).second) sites.push_back(barrier.at);
      before = barrier.accesses;
    }
    return steps.size() >= fewest_steps ? sites : std::vector<NodeRef>();
  }

 private:
  // How many threads make the step between two barriers; 0 where that is none of one warp, or other threads touch shared memory besides.
  std::int64_t threads_of_step(std::uint32_t first, std::uint32_t last) const {
    std::int64_t threads = 0;
    bool reads_ahead = false;
    for (std::uint32_t i = first; i < last; ++i) {
      const Access& access = trace_.accesses[i];
      if (trace_.memories[access.memory].space != Space::shared) continue;
      const std::int64_t here = threads_within(access);
      if (here <= 0 || here >= warp::lane_count || (threads != 0 && here != threads)) return 0;
      threads = here;
      reads_ahead = reads_ahead || (access.kind != Access::load && is_read_ahead(i, first, here));
    }
    return reads_ahead ? threads : 0;
  }

  // t < 16, t < 16 && t < n
  std::int64_t threads_within(const Access& access) const {
    std::int64_t fewest = 0;
    for (std::uint32_t c = access.context; c != none && c != 0; c = trace_.contexts[c].parent) {
      for_each_conjunct(e_, trace_.contexts[c].condition, [&](ExprId part, bool is_not) {
        const Expr& test = e_[part];
        const bool is_limit = !is_not && test.op == Op::lt && e_[test.a].op == Op::thread_x;
        const std::int64_t limit = is_limit ? e_.constant_of(test.b).value_or(0) : 0;
        if (limit > 0) fewest = fewest == 0 ? limit : std::min(fewest, limit);
      });
    }
    return fewest;
  }

  // s[t] = f(s[t], s[t + threads])
  bool is_read_ahead(std::uint32_t store, std::uint32_t first, std::int64_t threads) const {
    const Access& one = trace_.accesses[store];
    if (!lanes_.is_known(one.address) || one.bytes == 0) return false;
    for (std::uint32_t i = first; i < store; ++i) {
      const Access& load = trace_.accesses[i];
      if (load.kind != Access::load || load.memory != one.memory || !lanes_.is_known(load.address)) continue;
      if (lanes_.at(load.address, 0) - lanes_.at(one.address, 0) == threads * one.bytes) return true;
    }
    return false;
  }

  const Trace& trace_;
  const Expressions& e_;
  const Lanes lanes_;
};

// Of the first loop that has such steps.
std::vector<NodeRef> steps_of_written_trees(const KernelView& view) {
  constexpr std::size_t fewest_barriers = 5;
  const Trace& trace = view.trace;
  const bool has_several_warps = view.block.y * view.block.z == 1 && view.block.x > 2 * warp::lane_count;
  if (!has_several_warps || trace.barriers.size() < fewest_barriers || trace.loops.empty()) return {};
  const WrittenTree tree(view);
  for (std::uint32_t l = 0; l < trace.loops.size(); ++l) {
    if (is_short(trace, l)) continue;
    if (std::vector<NodeRef> sites = tree.steps_in(l); !sites.empty()) return sites;
  }
  return {};
}

}  // namespace

std::vector<NodeRef> repeated_barriers(const KernelView& view) {
  const Trace& trace = view.trace;
  std::vector<NodeRef> found;
  const auto& syntax = view.source().syntax;
  const auto is_in_kernel = [&](const BarrierSite& site) {
    return site.at.source == view.function.at.source && site.at.node >= view.function.body &&
           site.at.node < syntax[view.function.body].last;
  };
  const auto is_plain = [&](const BarrierSite& site) { return !site.is_named && !site.is_collective && is_in_kernel(site); };
  if (trace.uses_groups || trace.calls_unknown || trace.shared_escapes || view.names.barrier_in_assembly) return found;
  const std::vector<bool> reads_before = ends_of_read_conditions(trace);
  std::optional<bool> is_unseen;  // some access, perhaps between them
  for (std::size_t i = 1; i < trace.barriers.size(); ++i) {
    const BarrierSite &before = trace.barriers[i - 1], &after = trace.barriers[i];
    if (before.accesses != after.accesses || before.at == after.at || !is_plain(before) || !is_plain(after)) continue;
    const auto order = std::ranges::lower_bound(trace.orders, before.accesses, {}, &OrderSite::accesses);
    const auto number = static_cast<std::size_t>(order - trace.orders.begin());
    const auto is_block = [&](std::size_t k) { return k < trace.orders.size() && trace.orders[k].kind == OrderSite::block; };
    if (!is_block(number) || !is_block(number + 1) || trace.orders[number + 1].accesses != before.accesses || reads_before[number + 1])
      continue;
    if (before.context != after.context && !is_before_loop(trace, before, after) && !is_behind_tree(trace, before, after)) continue;
    if (!is_unseen) is_unseen = UnseenAccesses(view).any_in(view.function.at.source, view.function.body);
    if (*is_unseen) return {};
    found.push_back(before.context == after.context || is_before_loop(trace, before, after) ? before.at : after.at);
  }
  return found;
}

IdleBarriers idle_barriers(const KernelView& view) {
  constexpr std::size_t most_loops = 32;
  const Trace& trace = view.trace;
  std::map<std::uint32_t, std::vector<NodeRef>> by_loop;
  for (const BarrierSite& barrier : trace.barriers) {
    if (barrier.loop == none || barrier.is_named || barrier.is_collective || !is_in_each_round(trace, barrier)) continue;
    std::vector<NodeRef>& sites = by_loop[barrier.loop];
    if (std::ranges::find(sites, barrier.at) == sites.end()) sites.push_back(barrier.at);
  }
  IdleBarriers worst;
  if (by_loop.size() > most_loops) return worst;
  const LoopBarriers barriers(view);
  const std::vector<bool> reads_before = ends_of_read_conditions(trace);
  std::vector<const std::vector<NodeRef>*> trees;
  const auto consider = [&](const std::vector<NodeRef>& sites, std::string_view reason, bool is_needless) {
    if (std::pair(is_needless, sites.size()) > std::pair(worst.is_needless, worst.sites.size())) worst = {sites, reason, is_needless};
  };
  for (const auto& [l, sites] : by_loop) {
    const Loop& loop = trace.loops[l];
    if (has_idle_barrier(trace, loop, reads_before) && !barriers.has_unseen_access(loop))
      consider(sites, "and between one and the next nothing is accessed", false);
    if (barriers.exchanges_nothing(loop)) consider(sites, "although no thread reads what another one writes in it", true);
    // The steps of a tree, one by one or in a loop of their own, for each row.
    if (sites.size() >= worth_saying && barriers.has_independent_rounds(loop))
      consider(sites, "although its rounds have nothing in common: each step could be made for all of them at once", true);
    const bool is_tree = loop.halved != 0 || loop.doubled != 0 || loop.shift != 0;
    if (is_tree && loop.parent != none && barriers.has_independent_rounds(trace.loops[loop.parent]))
      consider(sites, "of a loop whose rounds have nothing in common: each step could be made for all of them at once", true);
    if (loop.parent != none && !is_short(trace, loop.parent) && is_halving_tree(view, loop)) trees.push_back(&sites);
  }
  const std::vector<NodeRef> written = steps_of_written_trees(view);
  if (!written.empty()) trees.push_back(&written);
  if (worst.sites.empty() && !trees.empty()) {
    worst = {*trees.front(),
             "which each step of a tree passes, in each round of the loop around it: the last five steps are those of one warp alone",
             false};
    worst.is_tree = true;
  }
  return worst;
}

}  // namespace frx::derive::cuda
