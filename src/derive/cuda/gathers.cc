#include "derive/cuda/gathers.h"

#include <algorithm>
#include <utility>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/tags.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t fewest_of = 4;  // lanes with an index of their own: one of so many
constexpr std::uint32_t widest = 12;    // bytes: a float4 costs twice its sectors at most

}  // namespace

Gathers::Gathers(const KernelView& view) : view_(view), e_(view.trace.expressions) {}

// The loads are collected at the first question: most kernels have no access that may be such an element.
const Gathers::Loads& Gathers::loads() {
  if (same_for_warp_) return *same_for_warp_;
  same_for_warp_.emplace();
  const std::vector<Access>& accesses = view_.trace.accesses;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const AccessPattern& pattern = view_.patterns.accesses[i];
    const bool is_same = pattern.kind == AccessPattern::uniform || (pattern.distinct > 0 && pattern.distinct * fewest_of < pattern.threads);
    if (accesses[i].kind == Access::load && is_global(view_, i))
      same_for_warp_->try_emplace({accesses[i].memory, accesses[i].address}, is_same);
  }
  return *same_for_warp_;
}

void Gathers::consider(std::size_t i) {
  const Access& access = view_.trace.accesses[i];
  // Sums that atomics make have bins, few of them perhaps; atomicCAS() takes a slot of a table.
  // An index that a size multiplies is that of a row.
  if (access.kind == Access::atomic && !access.is_exchange && !is_in_chosen_row(access.address)) return;
  if (access.is_vague || access.is_recast || access.bytes > widest) return;
  // Where the data choose who stores, a running number of those is the index mostly, and they lie side by side.
  if (access.kind == Access::store && is_chosen_by_data(view_.trace, access)) return;
  if (!e_.uses(access.address, Uses::loaded | Uses::varying) || !has_index(access)) return;
  found_.push_back(i);
  if (first_is_repeated_ || !is_repeated(view_.trace, access)) return;
  first_is_repeated_ = true;
  std::swap(found_.front(), found_.back());
}

// Is a part of the sum read from memory, at places that differ between lanes? Not where the iterations go on from there, element by
// element: those of loops in which the index stays as it is, unless a size of run time multiplies them, as that of a row does, in a loop
// around the innermost one.
bool Gathers::has_index(const Access& access) {
  constexpr int most = 64;
  std::vector<ExprId> indices, steps;
  bool is_scaled = false;
  const auto consider = [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::load && view_.trace.memories[x.b].holds_pointers) return Operands{x.a};  // rows[i][k]
    if (x.op == Op::load) {
      if (is_own_index(id)) indices.push_back(x.a);
    } else if (is_scaled_by_lane(x)) {
      is_scaled = true;
    } else if (x.op == Op::iteration || (is_of_rows(id) && !e_.uses(id, Uses::loaded))) {
      steps.push_back(id);
    } else if (x.op >= Op::add && x.op <= Op::bit_xor && !has_few_values(x)) {
      return Operands{x.a, x.b};
    } else if (const auto slot = first_slot(id)) {
      return Operands{*slot};
    } else if (e_.uses(id, Uses::iteration)) {
      return std::nullopt;
    }
    return Operands();
  };
  if (!walk_parts(e_, access.address, most, consider)) return false;
  if (is_scaled) return true;
  const ExprId innermost = access.loop == none ? none : view_.trace.loops[access.loop].iteration;
  return std::ranges::any_of(indices, [&](ExprId index) {
    return std::ranges::all_of(steps,
                               [&](ExprId step) { return (is_of_rows(step) && !holds(step, innermost)) || repeats_with(index, step); });
  });
}

// index[i] * channels + c: not where neighbouring lanes go on within the row.
bool Gathers::is_in_chosen_row(ExprId address) {
  constexpr int most_terms = 32;
  const auto is_index = [&](ExprId part) { return e_[part].op == Op::load && is_own_index(part); };
  bool has_row = false;
  const bool is_sum = for_each_term(e_, address, most_terms, [&](ExprId id, std::int64_t) {
    const Expr& x = e_[id];
    const bool is_row = x.op == Op::mul && ((e_[x.a].op == Op::uniform && has_part(e_, x.b, is_index)) ||
                                            (e_[x.b].op == Op::uniform && has_part(e_, x.a, is_index)));
    if (is_row) return !std::exchange(has_row, true);
    return !e_.uses(id, Uses::thread | Uses::varying | Uses::opaque);
  });
  return is_sum && has_row;
}

// speed[i] * step: lanes go on by steps of their own.
bool Gathers::is_scaled_by_lane(const Expr& x) {
  if (x.op != Op::mul) return false;
  const auto is_of_lane = [&](ExprId side) {
    return e_.uses(side, Uses::loaded) && has_part(e_, side, [&](ExprId part) { return e_[part].op == Op::load && is_own_index(part); });
  };
  return (e_.uses(x.a, Uses::iteration) && is_of_lane(x.b)) || (e_.uses(x.b, Uses::iteration) && is_of_lane(x.a));
}

// (i * channels + l) * size: an iteration of another row.
bool Gathers::is_of_rows(ExprId step) const {
  if (!e_.uses(step, Uses::iteration)) return false;
  const auto is_size = [&](ExprId part) { return !e_.constant_of(part) && !e_.uses(part, Uses::iteration | Uses::thread | Uses::varying); };
  return e_[step].op == Op::mul && (is_size(e_[step].a) || is_size(e_[step].b));
}

bool Gathers::holds(ExprId root, ExprId wanted) const {
  return has_part(e_, root, [&](ExprId part) { return part == wanted; });
}

// Is the index another one in each iteration that a step has?
bool Gathers::repeats_with(ExprId index, ExprId step) const {
  return !has_part(e_, step, [&](ExprId part) { return e_[part].op == Op::iteration && !holds(index, part); });
}

// s = hash(key) % size; while (table[s] != key) ...: where a search begins that goes on from there.
std::optional<ExprId> Gathers::first_slot(ExprId id) const {
  const LoopValue* const value = view_.trace.loop_value(id);
  if (!value) return std::nullopt;
  const Op op = e_[value->before].op;
  return op == Op::mod || op == Op::bit_and ? std::optional(value->before) : std::nullopt;
}

// x % 64, x & 255, x >> 24: the number of a bin, whose table is small. A size that the launch passes is that of a large one mostly.
bool Gathers::has_few_values(const Expr& x) const {
  constexpr std::int64_t large_table = 4096;
  if (x.op != Op::mod && x.op != Op::bit_and && x.op != Op::shr && x.op != Op::div) return false;
  const auto by = e_.constant_of(x.b) ? e_.constant_of(x.b) : e_.constant_of(x.a);
  return by && (x.op == Op::shr || x.op == Op::div || *by < large_table);
}

bool Gathers::is_own_index(ExprId load) {
  const ExprId index = e_[load].a;
  const auto is_other = [&](ExprId part) { return e_[part].op == Op::load && !is_same_for_warp(part) && !is_walked(index, part); };
  return e_.uses(index, Uses::thread_x) && loads().contains({e_[load].b, index}) && !is_same_for_warp(load) &&
         !has_part(e_, index, is_other);
}

// columns[first[row] + k]: an index that was found by walking from there.
bool Gathers::is_walked(ExprId index, ExprId start) const { return e_.uses(index, Uses::iteration) && !e_.uses(start, Uses::iteration); }

bool Gathers::is_same_for_warp(ExprId load) {
  const auto found = loads().find({e_[load].b, e_[load].a});
  return found != loads().end() && found->second;
}

}  // namespace frx::derive::cuda
