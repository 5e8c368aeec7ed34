// Facts about branches: those that split warps, and those that check bounds.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/loop_counts.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;
using model::cuda::Syntax;

// Which loads give all lanes of a warp the same, and which do not. The accesses are looked at when it is first asked.
class UniformLoads {
 public:
  explicit UniformLoads(const KernelView& view) : view_(view) {}

  // Does a condition depend on the threads of a warp through such loads alone?
  bool decide(ExprId condition) {
    look();
    const Expressions& e = view_.trace.expressions;
    std::vector<ExprId> open{condition};
    for (int steps = 0; !open.empty(); ++steps) {
      const ExprId id = open.back();
      const Expr& x = e[id];
      open.pop_back();
      if (steps > 64 || (x.op >= Op::thread_x && x.op <= Op::thread_z)) return false;
      if (x.op == Op::load) {
        if (!uniform_.contains(x.a)) open.push_back(x.a);  // a[rows[warp]]
        continue;
      }
      if (x.op < Op::add || !e.uses(id, Uses::thread | Uses::loaded)) continue;
      open.push_back(x.a);
      if (x.op < Op::neg || x.op == Op::select) open.push_back(x.b);
      if (x.op == Op::select) open.push_back(x.c);
    }
    return true;
  }

  bool any_of_lanes(ExprId condition) {
    look();
    const Expressions& e = view_.trace.expressions;
    return has_part(e, condition, [&](ExprId part) { return e[part].op == Op::load && of_lanes_.contains(e[part].a); });
  }

 private:
  void look() {
    if (std::exchange(has_looked_, true)) return;
    for (std::size_t i = 0; i < view_.trace.accesses.size(); ++i) {
      const AccessPattern::Kind kind = view_.patterns.accesses[i].kind;
      if (kind == AccessPattern::unknown) continue;
      (kind == AccessPattern::uniform ? uniform_ : of_lanes_).insert(view_.trace.accesses[i].address);
    }
  }

  const KernelView& view_;
  bool has_looked_ = false;
  std::unordered_set<ExprId> uniform_, of_lanes_;  // addresses
};

bool touches(const KernelView& view, const BranchSite& site, Space space, bool stores_only) {
  for (std::uint32_t i = site.first_access; i < site.last_access; ++i) {
    const Access& access = view.trace.accesses[i];
    if (stores_only && access.kind == Access::load) continue;
    if (view.trace.memories[access.memory].space == space) return true;
  }
  return false;
}

// Of `threadIdx.x < (n < 8 ? n : 8)`: threadIdx.x; of everything but a comparison with a thread number on one side all of it.
ExprId side_of_thread(const Expressions& e, ExprId condition) {
  const Expr& x = e[condition];
  const bool is_comparison = x.op == Op::lt || x.op == Op::le;
  if (!is_comparison || e.uses(x.a, Uses::thread) == e.uses(x.b, Uses::thread)) return condition;
  return e.uses(x.a, Uses::thread) ? x.a : x.b;
}

bool is_within(const BranchSite& site, NodeRef at) {
  return at.source == site.at.source && at.node >= site.consequence && at.node < site.last;
}

// if (lane == 0) for (i = 0; i < n; ++i) ...: the other lanes of each warp wait for as long as this takes. Loops of few iterations are a
// short task; one that ends when memory says so is a lock or a list, which lanes could not share.
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

constexpr std::int64_t least_iterations = 64;  // of a loop that is long for one thread

// for (i = 0; i < blockDim.x; ++i): does a loop run for as many iterations as a block has threads, or for 64, as far as the code tells?
bool is_of_block(const Expressions& e, const Loop& loop) {
  constexpr auto unknown = Uses::loaded | Uses::varying | Uses::opaque;
  const auto is_block_size = [&](ExprId part) { return e[part].op == Op::block_dim_x; };
  return (has_part(e, loop.condition, is_block_size) && !e.uses(loop.condition, unknown)) || runs_at_least(e, loop, least_iterations);
}

// if (threadIdx.x == 0) ...: does one thread of a block of several warps take the branch, in a kernel with barriers?
bool is_for_one_thread(const KernelView& view, const BranchSite& site) {
  const Expressions& e = view.trace.expressions;
  const Op op = e[site.condition].op;
  if (site.alternative != none || (op != Op::eq && op != Op::logical_not) || view.trace.barriers.empty()) return false;
  constexpr auto of_more = Uses::block | Uses::loaded | Uses::iteration | Uses::clamped;
  if (e.uses(site.condition, of_more) || !e.uses(site.condition, Uses::thread_x) || view.block.threads() <= warp::lane_count) return false;
  const bool is_line = view.block.y * view.block.z == 1;
  return is_line || e.uses(site.condition, Uses::thread_y);  // else one thread of each row
}

// for (i = 0; i < blockDim.x; ++i) sum += s[i]: a loop of that thread, while the others wait at a barrier or have nothing left to do. Not
// one that is short, or of a length that memory decides.
bool has_long_loop(const KernelView& view, const BranchSite& site) {
  const Trace& trace = view.trace;
  std::set<std::uint32_t> seen;  // loops
  for (std::uint32_t i = site.first_access; i < site.last_access; ++i) {
    const Access& access = trace.accesses[i];
    const Space space = trace.memories[access.memory].space;
    if ((space != Space::shared && space != Space::global) || !trace.expressions.uses(access.address, Uses::iteration)) continue;
    for (std::uint32_t l = access.loop; l != none && seen.insert(l).second; l = trace.loops[l].parent) {
      if (is_within(site, trace.loops[l].at) && is_of_block(trace.expressions, trace.loops[l])) return true;
    }
  }
  return false;
}

// tile = tiles[blockIdx.x]: a record for which one thread needs as many accesses of 16 bytes, the widest ones, as the iterations of a long
// loop.
bool copies_large_record(const KernelView& view, const BranchSite& site) {
  constexpr std::int64_t least_bytes = least_iterations * 16;
  for (std::uint32_t i = site.first_access; i < site.last_access; ++i) {
    const Access& access = view.trace.accesses[i];
    if (!access.is_guess && access.bytes >= least_bytes && is_within(site, access.at)) return true;
  }
  return false;
}

// How many accesses are made within a side of a branch.
std::size_t accesses_within(const KernelView& view, const BranchSite& site, std::uint32_t side) {
  const std::uint32_t end = view.program.sources()[site.at.source].syntax[side].last;
  const auto accesses = std::span(view.trace.accesses).subspan(site.first_access, site.last_access - site.first_access);
  return static_cast<std::size_t>(std::ranges::count_if(accesses, [&](const Access& access) {
    return access.at.source == site.at.source && access.at.node >= side && access.at.node < end;
  }));
}

bool holds_any(const KernelView& view, const BranchSite& site, std::uint32_t side, std::initializer_list<NodeKind> kinds) {
  const Syntax& syntax = view.program.sources()[site.at.source].syntax;
  for (std::uint32_t n = side; n < syntax[side].last; ++n) {
    if (std::ranges::find(kinds, syntax.kind(n)) != kinds.end()) return true;
  }
  return false;
}

bool calls_or_loops(const KernelView& view, const BranchSite& site, std::uint32_t side) {
  return holds_any(view, site, side, {NodeKind::call, NodeKind::for_statement, NodeKind::while_statement});
}

// Does a side of a branch take time: memory, a call or a loop? Moves between registers are selected without a branch.
bool is_work(const KernelView& view, const BranchSite& site, std::uint32_t side) {
  return side != none && (accesses_within(view, site, side) > 0 || calls_or_loops(view, site, side));
}

// Does a side of a branch take so long that no compiler replaces it by predicated instructions or a select: a call, a loop, or several
// accesses?
bool is_long_work(const KernelView& view, const BranchSite& site, std::uint32_t side) {
  constexpr std::size_t most_predicated = 2;
  return accesses_within(view, site, side) > most_predicated || calls_or_loops(view, site, side);
}

// Is a divergence met again and again, with both ways long, or with fewer lanes in each iteration?
bool is_costly_divergence(const KernelView& view, const BranchSite& site) {
  if (site.loop == none) return false;
  if (site.alternative == none) return view.trace.expressions.uses(site.condition, Uses::iteration);
  return is_long_work(view, site, site.consequence) && is_long_work(view, site, site.alternative);
}

// Do the lanes of one warp diverge, for more than the work of a single lane, the end of the data, or a few lanes that help to fill
// shared memory?
bool is_divergence(const KernelView& view, std::size_t i) {
  const BranchSite& site = view.trace.branches[i];
  const BranchPattern& pattern = view.patterns.branches[i];
  const Expressions& e = view.trace.expressions;
  if (!e.uses(site.condition, Uses::thread) || e.uses(site.condition, Uses::varying | Uses::opaque)) return false;
  // `if (row != column) ...`: few lanes are left out.
  const Expr& test = e[site.condition];
  if (site.alternative == none && test.op == Op::ne && !e.constant_of(test.a) && !e.constant_of(test.b)) return false;
  const bool cut = e.uses(side_of_thread(e, site.condition), Uses::clamped), compared = e.uses(site.condition, Uses::comparison);
  if (site.alternative == none && !touches(view, site, Space::global, false) && !touches(view, site, Space::shared, false))
    return false;  // a few moves between registers: predicated
  if (cut && pattern.diverges_in_warp_when_small && !compared && e.uses(site.condition, Uses::uniform) &&
      e.uses(site.condition, Uses::iteration))
    return true;  // tid % (2 * s) == 0
  if (!pattern.diverges_in_warp || pattern.is_of_one_warp) return false;
  if (pattern.elects_one) return cut && is_long_work_of_one_lane(view.trace, site);
  if (compared && !cut && e.uses(site.condition, Uses::block | Uses::uniform)) return false;  // i < n
  if (compared && touches(view, site, Space::shared, true)) return false;
  if (site.alternative != none) return is_work(view, site, site.consequence) && is_work(view, site, site.alternative);
  // A store of one lane in eight is over at once; what is done again and again, or for the first few lanes alone, is not.
  const bool changes = e.uses(site.condition, Uses::iteration);
  return cut ? !compared && changes : !changes && touches(view, site, Space::global, false);
}

// Is an index of global memory compared, rather than a thread number or a loaded value?
bool is_bounds_check(const KernelView& view, const BranchSite& site) {
  const Expressions& e = view.trace.expressions;
  if (site.loop == none || !e.uses(site.condition, Uses::comparison)) return false;
  if (e.uses(site.condition, Uses::loaded | Uses::varying | Uses::opaque)) return false;
  return e.uses(site.condition, Uses::block | Uses::iteration) && touches(view, site, Space::global, false);
}

// Are all sizes in the condition constants, of a template or a header?
bool is_of_constants(const Trace& trace, ExprId condition) {
  const Expressions& e = trace.expressions;
  std::vector<ExprId> open{condition};
  bool any = false;
  for (int steps = 0; !open.empty(); ++steps) {
    const ExprId id = open.back();
    open.pop_back();
    const Expr& x = e[id];
    if (steps > 64 || x.op == Op::load || x.op == Op::select) return false;
    if (x.op == Op::uniform) {
      any = true;
      if (!trace.is_template_value(id)) return false;
    }
    if (x.op < Op::add) continue;
    open.push_back(x.a);
    if (x.op < Op::neg) open.push_back(x.b);
  }
  return any;
}

// May several lanes of a warp take each path? Conditions on whole warps or on a single lane do not count.
bool may_diverge_in_warp(const KernelView& view, std::size_t i, UniformLoads& uniform) {
  const Expressions& e = view.trace.expressions;
  const ExprId condition = view.trace.branches[i].condition;
  if (e.uses(condition, Uses::varying | Uses::opaque)) return true;
  // Each lane compares what it has read.
  if (e.uses(condition, Uses::loaded) && e.uses(condition, Uses::thread)) return !uniform.decide(condition);
  return e.uses(condition, Uses::thread) && view.patterns.branches[i].diverges_in_some_warp && !is_of_constants(view.trace, condition);
}

NodeRef case_around(const Trace& trace, std::uint32_t context) {
  for (std::uint32_t c = context; c != none; c = trace.contexts[c].parent) {
    if (trace.contexts[c].is_case) return trace.contexts[c].at;
  }
  return {};
}

// Does each lane choose between two loops by what it has read?
bool is_divergence_by_data(const KernelView& view, const BranchSite& site, UniformLoads& uniform) {
  const Expressions& e = view.trace.expressions;
  if (!e.uses(site.condition, Uses::loaded) || !e.uses(site.condition, Uses::thread) || e.uses(site.condition, Uses::opaque)) return false;
  if (site.consequence == none || site.alternative == none) return false;
  const auto loops = {NodeKind::for_statement, NodeKind::while_statement, NodeKind::do_statement};
  if (!holds_any(view, site, site.consequence, loops) || !holds_any(view, site, site.alternative, loops)) return false;
  return uniform.any_of_lanes(site.condition);
}

void add_branches(const KernelView& view, CodeSubject& into) {
  Places all(view), divergent(view), costly(view), by_data(view), by_one(view), checks(view);
  bool loops_alone = false;
  std::array<bool, 2> has_second_way{};  // of the divergent ones, and of the costly ones
  std::map<std::uint32_t, std::vector<NodeRef>> by_case;
  UniformLoads uniform(view);
  for (std::size_t i = 0; i < view.trace.branches.size(); ++i) {
    const BranchSite& site = view.trace.branches[i];
    if (may_diverge_in_warp(view, i, uniform)) {
      const NodeRef chosen = case_around(view.trace, site.context);
      if (chosen.node == none)
        all.add(site.at);
      else
        by_case[chosen.node].push_back(site.at);
    }
    if (is_divergence(view, i)) {
      const bool is_costly = is_costly_divergence(view, site);
      (is_costly ? costly : divergent).add(site.at);
      if (site.alternative != none) has_second_way[is_costly] = true;
    } else if (const bool is_for_one = view.patterns.branches[i].elects_one && is_for_one_thread(view, site),
               has_loop = is_for_one && has_long_loop(view, site);
               has_loop || (is_for_one && copies_large_record(view, site))) {
      loops_alone = loops_alone || has_loop;
      by_one.add(site.at);
    } else if (is_divergence_by_data(view, site, uniform)) {
      by_data.add(site.at);
    }
    if (is_bounds_check(view, site)) checks.add(site.at);
  }
  // Only one case of a switch is executed: the one with most branches counts.
  const auto fullest = std::ranges::max_element(by_case, {}, [](const auto& one) { return one.second.size(); });
  if (fullest != by_case.end()) {
    for (const NodeRef at : fullest->second) all.add(at);
  }
  into.set(Id::branch_count, all.count(), all.take());
  const bool any_costly = costly.any(), is_by_one = !any_costly && by_one.any();
  const bool is_by_data = !any_costly && !is_by_one && !divergent.any() && by_data.any();
  const bool any = any_costly || is_by_one || divergent.any() || is_by_data;
  into.set(Id::warp_divergence_pattern, any, (any_costly ? costly : is_by_one ? by_one : is_by_data ? by_data : divergent).take());
  if (any) {
    const bool takes_both = is_by_data || (!is_by_one && has_second_way[any_costly]);
    into.set(Id::costly_divergence, any_costly || is_by_one);
    std::string cause;
    if (is_by_data) cause = ", where what they have read differs";
    if (is_by_one)
      cause = std::string(", behind which one thread of the block ") + (loops_alone ? "runs a loop alone" : "copies a large record alone");
    into.set(Id::divergence_cause, std::move(cause));
    into.set(Id::divergence_cost, std::string(takes_both ? "the warp takes both, one after the other" : "the others wait meanwhile"));
  }
  into.set(Id::bounds_check_count, checks.count(), checks.take());
}

}  // namespace

void add_branch_facts(const KernelView& view, CodeSubject& into) { add_branches(view, into); }

}  // namespace frx::derive::cuda
