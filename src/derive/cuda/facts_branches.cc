// Facts about branches: those that split warps, and those that check bounds.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "derive/cuda/divisions.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/lone_threads.h"

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
    constexpr int most = 64;
    return walk_parts(e, condition, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      if (x.op >= Op::thread_x && x.op <= Op::thread_z) return std::nullopt;
      if (x.op == Op::load) return uniform_.contains(x.a) ? Operands() : Operands{x.a};  // a[rows[warp]]
      return e.uses(id, Uses::thread | Uses::loaded) ? Operands::all_of(x) : Operands();
    });
  }

  bool any_of_lanes(ExprId condition) {
    const auto [at, is_new] = of_conditions_.try_emplace(condition, false);
    if (!is_new) return at->second;
    look();
    const Expressions& e = view_.trace.expressions;
    return of_conditions_[condition] = has_part(e, condition, [&](ExprId part) {
             return e[part].op == Op::load && of_lanes_.contains(e[part].a) && is_of_lanes(e[part].a);
           });
  }

 private:
  // Of a load: not one that all lanes make, as rows[warps[i / 32]].
  bool is_of_lanes(ExprId address) {
    const auto [at, is_new] = of_addresses_.try_emplace(address, false);
    if (is_new) at->second = view_.trace.expressions.uses(address, Uses::varying) || !decide(address);
    return at->second;
  }

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
  std::unordered_map<ExprId, bool> of_conditions_, of_addresses_;
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

// Does a rest of the lane's number choose, of few: (x + y) % 2 == color?
bool is_of_every_few(const Expressions& e, ExprId condition) {
  constexpr std::int64_t most = 4;
  bool found = false;
  for_each_conjunct(e, condition, [&](ExprId part, bool) {
    const Expr& x = e[part];
    const ExprId rest = x.op == Op::logical_not ? x.a : (x.op == Op::eq || x.op == Op::ne) ? x.a : part;
    const std::int64_t by = e.constant_of(e[rest].b).value_or(0);
    const bool is_rest = (e[rest].op == Op::mod && by >= 2 && by <= most) || (e[rest].op == Op::bit_and && by == 1);
    found = found || (is_rest && e.uses(rest, Uses::thread_x) && !e.uses(part, Uses::loaded));
  });
  return found;
}

// if ((x + y) % 2 != color) return;   Has at least every second lane nothing more to do?
bool is_left_by_every_few(const KernelView& view, const BranchSite& site, const BranchPattern& pattern) {
  constexpr std::size_t most_at_once = 2;
  const Expressions& e = view.trace.expressions;
  if (site.alternative != none || site.consequence == none || site.loop != none || !pattern.diverges_in_warp) return false;
  const Syntax& syntax = view.source().syntax;
  const bool is_in_kernel = site.at.source == view.function.at.source && site.at.node >= view.function.body;
  if (!is_in_kernel || site.at.node >= syntax[view.function.body].last) return false;
  const std::uint32_t statement = first_statement(syntax, site.consequence);
  if (statement == none || !syntax.is(statement, NodeKind::return_statement)) return false;
  // i % 4 == 3 is one lane of four.
  const bool is_few = has_part(e, site.condition, [&](ExprId part) {
    const Expr& x = e[part];
    return (x.op == Op::eq || x.op == Op::logical_not) && e[x.a].op == Op::mod && e.constant_of(e[x.a].b).value_or(0) > 2;
  });
  return !is_few && is_of_every_few(e, site.condition) && view.trace.accesses.size() - site.last_access > most_at_once;
}

// Do the lanes of one warp diverge, for more than the work of a single lane, the end of the data, or a few lanes that help to fill
// shared memory?
bool is_divergence(const KernelView& view, std::size_t i) {
  const BranchSite& site = view.trace.branches[i];
  const BranchPattern& pattern = view.patterns.branches[i];
  const Expressions& e = view.trace.expressions;
  if (!e.uses(site.condition, Uses::thread) || e.uses(site.condition, Uses::varying | Uses::opaque)) return false;
  if (is_left_by_every_few(view, site, pattern)) return true;
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
  if (cut && !changes && is_of_every_few(e, site.condition)) return is_long_work(view, site, site.consequence);
  return cut ? !compared && changes : !changes && touches(view, site, Space::global, false);
}

// if (x < 0) continue; before the loop reads a[x]
bool skips_iteration_before_access(const KernelView& view, const BranchSite& site) {
  const model::cuda::Syntax& syntax = view.program.sources()[site.at.source].syntax;
  const std::uint32_t body = site.consequence == none ? none : first_statement(syntax, site.consequence);
  if (site.alternative != none || body == none || !syntax.is(body, NodeKind::continue_statement)) return false;
  const auto behind = std::span(view.trace.accesses).subspan(site.last_access);
  const std::size_t in_loop = std::max(view.trace.loops[site.loop].last_access, site.last_access) - site.last_access;
  return std::ranges::any_of(behind.first(std::min(in_loop, behind.size())),
                             [&](const Access& access) { return view.trace.memories[access.memory].space == Space::global; });
}

// bool inside = x > 0; for (...) if (inside) ...: does a branch name what was compared before the loop?
bool was_compared_before(const KernelView& view, const BranchSite& site) {
  if (view.trace.expressions.uses(site.condition, Uses::iteration)) return false;
  const Source& source = view.program.sources()[site.at.source];
  const std::uint32_t condition = source.syntax.child(site.at.node, Role::condition);
  if (condition == none) return false;
  std::string_view written = source.text_of(condition);
  if (written.starts_with('(')) written.remove_prefix(1);
  return written.find_first_of("<>=(") == written.npos;
}

// How many comparisons of an index of global memory, rather than of a thread number or a loaded value, decide a branch in a loop?
std::size_t bounds_checks(const KernelView& view, const BranchSite& site) {
  const Expressions& e = view.trace.expressions;
  if (site.loop == none || !e.uses(site.condition, Uses::comparison)) return 0;
  if (e.uses(site.condition, Uses::loaded | Uses::varying | Uses::opaque) || !e.uses(site.condition, Uses::block | Uses::iteration))
    return 0;
  if (!touches(view, site, Space::global, false) && !skips_iteration_before_access(view, site)) return 0;
  if (was_compared_before(view, site)) return 0;
  constexpr int most = 32;
  std::size_t count = 0;
  bool any_of_iteration = false;  // k == 7 is no question about an index
  walk_parts(e, site.condition, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    const bool is_equality = x.op == Op::eq || x.op == Op::ne, is_of_iteration = is_equality && !e.uses(id, Uses::thread | Uses::block);
    any_of_iteration = any_of_iteration || is_of_iteration;
    count += x.op == Op::lt || x.op == Op::le || (is_equality && !is_of_iteration);
    const bool joins = x.op == Op::logical_and || x.op == Op::logical_or || x.op == Op::logical_not;
    return joins ? Operands::all_of(x) : Operands();
  });
  return any_of_iteration ? count : std::max<std::size_t>(count, 1);
}

// Are all sizes in the condition constants, of a template or a header?
bool is_of_constants(const Trace& trace, ExprId condition) {
  const Expressions& e = trace.expressions;
  constexpr int most = 64;
  bool any = false;
  const bool is_complete = walk_parts(e, condition, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::load || x.op == Op::select) return std::nullopt;
    if (x.op == Op::uniform) {
      any = true;
      if (!trace.is_template_value(id)) return std::nullopt;
    }
    return Operands::all_of(x);
  });
  return is_complete && any;
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

// How many times a value that a loop moves is in what an iteration makes of it: 2 in 2 * node + 1.
std::optional<std::int64_t> factor_of(const Expressions& e, ExprId value, ExprId made) {
  constexpr int most_terms = 8;
  std::optional<std::int64_t> found;
  const bool is_sum = for_each_term(e, made, most_terms, [&](ExprId id, std::int64_t factor) {
    if (id == value) found = found.value_or(0) + factor;
    return true;
  });
  return is_sum ? found : std::nullopt;
}

// if (x[i] > limit[node]) node = next; else node = left(node);   Is a variable moved on by what each lane compares? A search by halves, and
// a way down a tree whose leaves are equally deep (node = 2 * node + 1 or + 2), take as many steps in all lanes.
bool is_moved_by_lanes(const KernelView& view, const LoopValue& value, UniformLoads& uniform) {
  const Expressions& e = view.trace.expressions;
  const auto halves = [&](ExprId part) {
    return (e[part].op == Op::div && e.constant_of(e[part].b) == 2) || (e[part].op == Op::shr && e.constant_of(e[part].b) == 1);
  };
  if (e.uses(value.made, Uses::floating) || has_part(e, value.made, halves)) return false;
  return has_part(e, value.made, [&](ExprId part) {
    const Expr& x = e[part];
    if (x.op != Op::select || !uniform.any_of_lanes(x.a)) return false;
    const auto yes = factor_of(e, value.id, x.b), no = factor_of(e, value.id, x.c);
    return !yes || !no || yes != no || yes == 1;
  });
}

// x = queries[i]; while (top > 0) { node = stack[--top]; if (...) stack[top++] = left(node); ... }: does it end where a stack of each lane
// is empty, which began with what that lane has read? Lanes that share a query do the same.
bool empties_stack(const KernelView& view, const Loop& loop) {
  const Trace& trace = view.trace;
  const Expressions& e = trace.expressions;
  if (!has_part(e, loop.condition, [&](ExprId part) { return e[part].op == Op::loop_value; })) return false;
  bool reads_own = false, pushes = false, reads = false;
  for (std::uint32_t i = 0; i < loop.last_access; ++i) {
    const Access& access = trace.accesses[i];
    const bool is_unknown = e.uses(access.address, Uses::varying | Uses::opaque) || holds_loop_value(e, access.address);
    const Space space = trace.memories[access.memory].space;
    if (i < loop.first_access) {
      if (space != Space::global || access.kind != Access::load) continue;
      if (view.patterns.accesses[i].kind == AccessPattern::uniform || !e.uses(access.address, Uses::thread_x)) return false;
      reads_own = true;
    }
    pushes = pushes || (i >= loop.first_access && space == Space::local && access.kind == Access::store && is_unknown);
    reads = reads || (i >= loop.first_access && space == Space::global && access.kind == Access::load && is_unknown);
  }
  return reads_own && pushes && reads;
}

// for (e = first[i]; e < first[i + 1]; ++e), while (node != end): does each lane have as many iterations as what it reads says? Not where a
// lock is waited for.
bool has_length_of_lane(const KernelView& view, const Loop& loop, UniformLoads& uniform) {
  const Expressions& e = view.trace.expressions;
  if (e.uses(loop.condition, Uses::opaque)) return false;
  if (empties_stack(view, loop)) return true;
  const auto is_moved = [&](ExprId part) {
    const LoopValue* const value = e[part].op == Op::loop_value ? view.trace.loop_value(part) : nullptr;
    return value && is_moved_by_lanes(view, *value, uniform);
  };
  const bool moves_by_lanes = has_part(e, loop.condition, is_moved);
  if (!e.uses(loop.condition, Uses::loaded | Uses::varying) && !moves_by_lanes) return false;
  const auto accesses = std::span(view.trace.accesses).subspan(loop.first_access, loop.last_access - loop.first_access);
  if (std::ranges::any_of(accesses, &Access::is_exchange)) return false;
  // while (x != 1) x = next(x): how long it takes from where a lane began.
  const auto begins_with_data = [&](ExprId part) {
    const LoopValue* const value = e[part].op == Op::loop_value ? view.trace.loop_value(part) : nullptr;
    return value && uniform.any_of_lanes(value->before);
  };
  return uniform.any_of_lanes(loop.condition) || has_part(e, loop.condition, begins_with_data) || moves_by_lanes;
}

// if (threadIdx.x < 14) atomicAdd(&sums[threadIdx.x], s[threadIdx.x]);   What a block has found, as the last thing that it does: the lanes
// that do not take the branch are done.
bool hands_over_results(const KernelView& view, const BranchSite& site) {
  const Source& source = view.program.sources()[site.at.source];
  const auto& syntax = source.syntax;
  if (site.loop != none || site.alternative != none || site.at.source != view.function.at.source) return false;
  constexpr std::size_t most_accesses = 4;
  const auto loops = {NodeKind::for_statement, NodeKind::while_statement, NodeKind::do_statement};
  if (view.trace.barriers.empty() || site.consequence == none) return false;
  if (accesses_within(view, site, site.consequence) > most_accesses || holds_any(view, site, site.consequence, loops)) return false;
  for (std::uint32_t at = site.at.node; at != view.function.body; at = syntax[at].parent) {
    if (at == none || at < view.function.body) return false;
    const bool is_side = syntax.is(syntax[at].parent, NodeKind::if_statement) || syntax.is(syntax[at].parent, NodeKind::else_clause);
    for (std::uint32_t next = syntax.next_sibling(at); next != none && !is_side; next = syntax.next_sibling(next)) {
      if (!syntax.is(next, NodeKind::token)) return false;
    }
  }
  return true;
}

// Branches that split warps, by what they cost.
class Divergence {
 public:
  explicit Divergence(const KernelView& view)
      : view_(view), lone_(view), by_one_(view), costly_(view), short_(view), by_one_shortly_(view), by_data_(view), by_length_(view) {}

  void consider(const Loop& loop, UniformLoads& uniform) {
    if (has_length_of_lane(view_, loop, uniform)) by_length_.add(loop.at);
  }

  void consider(std::size_t i, UniformLoads& uniform) {
    const BranchSite& site = view_.trace.branches[i];
    if (is_divergence(view_, i)) {
      const bool is_costly = is_costly_divergence(view_, site);
      if (!is_costly && hands_over_results(view_, site)) return;
      (is_costly ? costly_ : short_).add(site.at);
      if (site.alternative != none) has_second_way_[is_costly] = true;
      return;
    }
    const LoneWork work = view_.patterns.branches[i].elects_one ? lone_.work_of(site) : LoneWork::nothing;
    if (work != LoneWork::nothing) {
      loops_alone_ = loops_alone_ || work != LoneWork::large_record;
      (work == LoneWork::loop_of_warps ? by_one_shortly_ : by_one_).add(site.at);
    } else if (is_divergence_by_data(view_, site, uniform)) {
      by_data_.add(site.at);
    }
  }

  // The costliest kind that there is.
  void add_to(CodeSubject& into) {
    for (Places* kind : {&costly_, &by_one_, &short_, &by_one_shortly_, &by_data_, &by_length_}) {
      if (!kind->any()) continue;
      const bool is_by_one = kind == &by_one_ || kind == &by_one_shortly_, is_by_data = kind == &by_data_;
      const bool takes_both = is_by_data || (!is_by_one && has_second_way_[kind == &costly_]);
      into.set(Id::warp_divergence_pattern, true, kind->take());
      into.set(Id::costly_divergence, kind == &costly_ || kind == &by_one_);
      std::string cause;
      if (is_by_data) cause = ", where what they have read differs";
      if (is_by_one)
        cause =
            std::string(", behind which one thread of the block ") + (loops_alone_ ? "runs a loop alone" : "copies a large record alone");
      if (kind == &by_length_) cause = " of a loop, which has as many iterations for each as its data say";
      into.set(Id::divergence_cause, std::move(cause));
      into.set(Id::divergence_cost, std::string(kind == &by_length_ ? "the others wait for the one that has most"
                                                : takes_both        ? "the warp takes both, one after the other"
                                                                    : "the others wait meanwhile"));
      return;
    }
    into.set(Id::warp_divergence_pattern, false);
  }

 private:
  const KernelView& view_;
  LoneThreads lone_;
  Places by_one_, costly_, short_, by_one_shortly_, by_data_, by_length_;
  bool loops_alone_ = false;
  std::array<bool, 2> has_second_way_{};  // of the short ones, and of the costly ones
};

void add_branches(const KernelView& view, CodeSubject& into) {
  Places all(view), checks(view);
  std::map<std::uint32_t, std::vector<NodeRef>> by_case;
  UniformLoads uniform(view);
  Divergence divergence(view);
  double comparisons = 0;
  for (std::size_t i = 0; i < view.trace.branches.size(); ++i) {
    const BranchSite& site = view.trace.branches[i];
    if (may_diverge_in_warp(view, i, uniform)) {
      const NodeRef chosen = case_around(view.trace, site.context);
      if (chosen.node == none)
        all.add(site.at);
      else
        by_case[chosen.node].push_back(site.at);
    }
    divergence.consider(i, uniform);
    if (const std::size_t count = bounds_checks(view, site); count != 0) {
      comparisons += static_cast<double>(count);
      checks.add(site.at);
    }
  }
  for (const Loop& loop : view.trace.loops) divergence.consider(loop, uniform);
  // Only one case of a switch is executed: the one with most branches counts.
  const auto fullest = std::ranges::max_element(by_case, {}, [](const auto& one) { return one.second.size(); });
  if (fullest != by_case.end()) {
    for (const NodeRef at : fullest->second) all.add(at);
  }
  into.set(Id::branch_count, all.count(), all.take());
  divergence.add_to(into);
  into.set(Id::bounds_check_count, comparisons, checks.take());
}

}  // namespace

void add_branch_facts(const KernelView& view, CodeSubject& into) { add_branches(view, into); }

}  // namespace frx::derive::cuda
