#include "derive/cuda/partial_guards.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"
#include "derive/cuda/tags.h"

namespace frx::derive::cuda {
namespace {

void add_comparisons(const Expressions& e, ExprId condition, std::vector<Comparison>& into) {
  for_each_conjunct(e, condition, [&](ExprId id, bool is_not) {
    const Expr& x = e[id];
    if (x.op == (is_not ? Op::eq : Op::ne)) {
      into.push_back({Op::ne, x.a, x.b});
    } else if (x.op == Op::lt || x.op == Op::le) {
      into.push_back(is_not ? Comparison{x.op == Op::lt ? Op::le : Op::lt, x.b, x.a} : Comparison{x.op, x.a, x.b});
    }
  });
}

// Does a condition of the access compare or choose by that coordinate of the thread, in any way that is no lower bound?
bool is_chosen_by(const Trace& trace, const Access& access, const std::vector<Comparison>& guards, std::uint16_t coordinate) {
  const Expressions& e = trace.expressions;
  const auto limits = [&](const Comparison& guard) { return e.uses(guard.left, coordinate); };
  if (std::ranges::any_of(guards, limits)) return true;
  constexpr auto unknown = Uses::varying | Uses::opaque | Uses::loaded;
  bool is_chosen = e.uses(access.alive, unknown);
  for (std::uint32_t c = access.context; c != none && c != 0 && !is_chosen; c = trace.contexts[c].parent) {
    for_each_conjunct(e, trace.contexts[c].condition, [&](ExprId id, bool) {
      const Op op = e[id].op;
      const bool is_comparison = op == Op::lt || op == Op::le;
      is_chosen = is_chosen || e.uses(id, unknown) || (!is_comparison && e.uses(id, coordinate));
    });
  }
  return is_chosen;
}

// A size that was rounded to whole shares, by its name.
bool is_multiple(const Trace& trace, ExprId id) {
  constexpr std::array<std::string_view, 4> words{"round", "pad", "align", "mult"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(trace.name_of_parameter(id), word); });
}

}  // namespace

bool lets_either_through(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  // The coordinate of the thread that is compared with a size, as bits; 0 for any other condition.
  const auto compared = [&](ExprId id, bool is_not) -> std::uint16_t {
    const Expr& x = e[id];
    if (x.op != Op::lt && x.op != Op::le) return 0;
    const ExprId index = is_not ? x.b : x.a, size = is_not ? x.a : x.b;
    constexpr auto others = Uses::varying | Uses::opaque | Uses::loaded | Uses::iteration;
    const bool is_index = e.uses(index, Uses::block) && !e.uses(index, others | Uses::uniform);
    const bool is_end = e.uses(size, Uses::uniform) && !e.uses(size, others | Uses::index);
    if (!is_index || !is_end) return 0;
    for (const std::uint16_t coordinate : {Uses::thread_x, Uses::thread_y, Uses::thread_z}) {
      if (e.uses(index, coordinate) && e.uses(access.address, coordinate)) return coordinate;
    }
    return 0;
  };
  std::uint16_t found = 0;  // both coordinates
  is_decided_by(trace, access, [&](ExprId condition) {
    for_each_conjunct(e, condition, [&](ExprId id, bool is_not) {
      const Expr& x = e[id];
      if (x.op != (is_not ? Op::logical_and : Op::logical_or)) return;
      const std::uint16_t a = compared(x.a, is_not), b = compared(x.b, is_not);
      if (a != 0 && b != 0 && a != b) found = static_cast<std::uint16_t>(a | b);
    });
    return false;
  });
  // Where another guard compares one of them as well, this one is only the first.
  if (found == 0) return false;
  const std::vector<Comparison> others = comparisons_of(trace, access);
  return std::ranges::none_of(others,
                              [&](const Comparison& guard) { return e.uses(guard.left, found) && e.uses(guard.left, Uses::block); });
}

std::vector<Comparison> comparisons_of(const Trace& trace, const Access& access) {
  std::vector<Comparison> guards;
  add_comparisons(trace.expressions, access.alive, guards);
  for (std::uint32_t c = access.context; c != none && c != 0; c = trace.contexts[c].parent)
    add_comparisons(trace.expressions, trace.contexts[c].condition, guards);
  return guards;
}

bool is_size(const Trace& trace, ExprId id) {
  constexpr std::array<std::string_view, 8> ends{"last", "end", "max", "hi", "limit", "degree", "order", "level"};
  const std::string name = to_lower(trace.name_of_parameter(id));
  return !name.empty() && std::ranges::none_of(ends, [&](std::string_view word) { return name.starts_with(word); });
}

PartialGuards::PartialGuards(const KernelView& view) : view_(view), indices_(view.trace.memories.size()) {
  constexpr std::size_t most_accesses = 512;
  const Trace& trace = view.trace;
  if (trace.accesses.size() > most_accesses) return;
  for (const Access& access : trace.accesses) guards_.push_back(comparisons_of(trace, access));
  for (std::size_t i = 0; i < trace.accesses.size(); ++i) {
    auto& indices = indices_[trace.accesses[i].memory];
    for (const Comparison& guard : guards_[i]) {
      if (guard.op != Op::lt || !is_size(trace, guard.right) || !has_global_index(trace.expressions, guard.left)) continue;
      const auto coordinate = static_cast<std::uint16_t>(trace.expressions[guard.left].uses & Uses::thread);
      const bool is_one = coordinate == Uses::thread_x || coordinate == Uses::thread_y || coordinate == Uses::thread_z;
      const std::pair index(guard.left, coordinate);
      if (is_one && std::ranges::find(indices, index) == indices.end()) indices.push_back(index);
    }
  }
}

// `y * w + x - 1` where y is compared with the height elsewhere. A thread that is chosen by its number in the block is the first of its
// block, as a rule, which lies within the data.
bool PartialGuards::lacks_one_of_others(const Access& access) const {
  const Trace& trace = view_.trace;
  const Expressions& e = trace.expressions;
  constexpr auto unknown = Uses::varying | Uses::opaque | Uses::loaded | Uses::clamped;
  if (guards_.empty() || e.uses(access.address, unknown)) return false;
  const std::vector<Comparison>& guards = guards_[static_cast<std::size_t>(&access - trace.accesses.data())];
  return std::ranges::any_of(indices_[access.memory], [&](const auto& index) {
    const auto& [compared, coordinate] = index;
    const auto is_it = [&, it = compared](ExprId part) { return part == it; };
    return e.uses(access.address, coordinate) && has_part(e, access.address, is_it) && !is_chosen_by(trace, access, guards, coordinate);
  });
}

// A distance of rows that may be longer than they are, by its name.
bool PartialGuards::may_be_padded(ExprId product) const {
  constexpr std::array<std::string_view, 6> words{"pitch", "stride", "pad", "align", "step", "ld"};
  const std::string name = to_lower(view_.trace.name_of_parameter(product));
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; });
}

bool PartialGuards::changes_next_row(const Access& access) const {
  const Trace& trace = view_.trace;
  const Expressions& e = trace.expressions;
  constexpr auto unknown = Uses::varying | Uses::opaque | Uses::loaded | Uses::clamped | Uses::iteration;
  const bool changes = access.kind == Access::atomic || (access.kind == Access::store && access.is_update);
  if (guards_.empty() || !changes || e.uses(access.address, unknown)) return false;
  // The axis along which neighbouring threads have neighbouring elements, if a size multiplies the number along the other one.
  const auto axis_of_columns = [&](ExprId number) -> std::optional<std::size_t> {
    constexpr int most_terms = 16;
    std::array<bool, 2> is_column{}, is_row{};
    if (has_part(e, number, [&](ExprId part) { return e[part].op == Op::uniform && may_be_padded(part); })) return std::nullopt;
    const bool is_sum = for_each_term(e, number, most_terms, [&](ExprId id, std::int64_t factor) {
      for (const std::size_t axis : {0, 1}) {
        const bool is_of_axis = e.uses(id, axis == 0 ? Uses::thread_x : Uses::thread_y);
        const bool is_alone = e[id].op == (axis == 0 ? Op::thread_x : Op::thread_y);
        is_column[axis] = is_column[axis] || (is_alone && factor == 1);
        is_row[axis] = is_row[axis] || (is_of_axis && e[id].op == Op::mul && e.uses(id, Uses::uniform));
      }
      return true;
    });
    if (is_sum && is_column[0] && !is_row[0] && is_row[1] && !is_column[1]) return 0;
    if (is_sum && is_column[1] && !is_row[1] && is_row[0] && !is_column[0]) return 1;
    return std::nullopt;
  };
  std::optional<std::size_t> axis;
  const std::vector<Comparison>& guards = guards_[static_cast<std::size_t>(&access - trace.accesses.data())];
  for (const Comparison& guard : guards) {
    const bool is_number = guard.op == Op::lt && has_part(e, access.address, [&](ExprId part) { return part == guard.left; });
    if (is_number && e.uses(guard.right, Uses::uniform)) axis = axis_of_columns(guard.left);
    if (axis) break;
  }
  if (!axis || !view_.has_blocks_beyond[*axis]) return false;
  const auto column = *axis == 0 ? Uses::thread_x : Uses::thread_y, row = *axis == 0 ? Uses::thread_y : Uses::thread_x;
  return !is_decided_by(trace, access, [&](ExprId condition) {
    bool compares_column = false;
    for_each_conjunct(e, condition,
                      [&](ExprId id, bool) { compares_column = compares_column || (e.uses(id, column) && !e.uses(id, row)); });
    return compares_column || e.uses(condition, unknown);
  });
}

bool PartialGuards::tests_first_alone(const Access& access) const {
  const Trace& trace = view_.trace;
  const Expressions& e = trace.expressions;
  constexpr auto unknown = Uses::varying | Uses::opaque | Uses::loaded | Uses::clamped;
  if (guards_.empty() || e.uses(access.address, unknown)) return false;
  const Expr& scaled = e[access.address];
  const ExprId place = scaled.op == Op::mul && e.constant_of(scaled.b) ? scaled.a : access.address;
  if (e[place].op != Op::add) return false;
  const std::vector<Comparison>& guards = guards_[static_cast<std::size_t>(&access - trace.accesses.data())];
  return std::ranges::any_of(guards, [&](const Comparison& guard) {
    const bool is_index = e.uses(guard.left, Uses::thread_x) && e.uses(guard.left, Uses::block);
    if (guard.op != Op::lt || !is_size(trace, guard.right) || is_multiple(trace, guard.right) || !is_index) return false;
    const bool first = e[place].a == guard.left;
    if (!first && e[place].b != guard.left) return false;
    const ExprId more = first ? e[place].b : e[place].a;
    const auto has_other_guard = [&](const Comparison& other) {
      return other.left != guard.left && has_part(e, other.left, [&](ExprId part) { return part == more; }) &&
             e.uses(other.left, Uses::thread);
    };
    if (std::ranges::any_of(guards, has_other_guard)) return false;
    // block * (BLOCK * 2) + thread, and BLOCK more: a block has several elements for each thread.
    const auto covers_more = [&](ExprId part) {
      const Expr& x = e[part];
      if (x.op != Op::mul || (e[x.a].op != Op::block_x && e[x.b].op != Op::block_x)) return false;
      const ExprId share = e[x.a].op == Op::block_x ? x.b : x.a;
      const auto of_block = e.constant_of(share), one = e.constant_of(more);
      if (of_block && one) return *one > 1 && *of_block % *one == 0 && *of_block / *one >= 2;
      const Expr& s = e[share];
      const auto times = s.op == Op::mul ? e.constant_of(s.a == more ? s.b : s.a) : s.op == Op::shl ? e.constant_of(s.b) : std::nullopt;
      return (s.op == Op::mul && (s.a == more || s.b == more) && times.value_or(0) >= 2) || (s.op == Op::shl && s.a == more && times >= 1);
    };
    if (has_part(e, guard.left, covers_more)) return true;
    // thread * count + k for each k below the count
    return std::ranges::any_of(trace.loops, [&](const Loop& loop) {
      const std::optional<ExprId> length = loop.iteration == more ? counted_length(e, loop) : std::nullopt;
      if (!length || trace.name_of_parameter(*length).empty()) return false;
      return has_part(e, guard.left, [&](ExprId part) {
        const Expr& x = e[part];
        return x.op == Op::mul && ((x.a == *length && e[x.b].op == Op::thread_x) || (x.b == *length && e[x.a].op == Op::thread_x));
      });
    });
  });
}

}  // namespace frx::derive::cuda
