// What an expression is made of.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "derive/cuda/expressions.h"

namespace frx::derive::cuda {

// The operands with which a walk over an expression goes on; none, unless some are given.
class Operands {
 public:
  Operands() = default;
  Operands(std::initializer_list<ExprId> ids) : count_(std::min(ids.size(), ids_.size())) {
    std::ranges::copy_n(ids.begin(), static_cast<std::ptrdiff_t>(count_), ids_.begin());
  }

  // Those that are expressions: of a load its index alone, of a leaf none.
  static Operands all_of(const Expr& x);

  std::span<const ExprId> ids() const { return {ids_.data(), count_}; }

 private:
  std::array<ExprId, 3> ids_{};  // an expression has no more
  std::size_t count_ = 0;
};

// Calls visit(part, its expression), which answers with which operands to go on, or nothing in order to stop, for an expression and its
// parts, the first operands first. False where it was stopped, or stopped itself at more than `most` parts: some have not been visited.
template <class Visit>
bool walk_parts(const Expressions& e, ExprId root, int most, Visit&& visit) {
  std::vector<ExprId> open{root};
  for (int visited = 0; !open.empty(); ++visited) {
    const ExprId part = open.back();
    open.pop_back();
    if (visited == most) return false;
    const std::optional<Operands> next = visit(part, e[part]);
    if (!next) return false;
    open.insert(open.end(), next->ids().rbegin(), next->ids().rend());
  }
  return true;
}

// Is some part of an expression, or the expression itself, as asked for? False for a part that is too far down.
template <class IsIt>
bool has_part(const Expressions& e, ExprId root, IsIt&& is_it) {
  constexpr int most = 256;
  bool found = false;
  walk_parts(e, root, most, [&](ExprId part, const Expr& x) {
    found = is_it(part);
    return found ? std::nullopt : std::optional(Operands::all_of(x));
  });
  return found;
}

// Calls visit(term, factor) for the terms of a sum, with what constants multiply them by: of 4 * (i + n * k) these are i and n * k, both by
// 4; constants are terms, too. A visit answers whether to go on. False where it was stopped, where a term is one of more than `most`, or
// where a factor is larger than any array.
template <class Visit>
bool for_each_term(const Expressions& e, ExprId root, int most, Visit&& visit) {
  constexpr std::int64_t largest_factor = std::int64_t{1} << 48;
  std::vector<std::pair<ExprId, std::int64_t>> open{{root, 1}};
  for (int terms = 0; !open.empty(); ++terms) {
    const auto [id, factor] = open.back();
    open.pop_back();
    const Expr& x = e[id];
    const auto left = x.op == Op::mul ? e.constant_of(x.a) : std::nullopt, right = x.op == Op::mul ? e.constant_of(x.b) : std::nullopt;
    if (terms == most) return false;
    if (x.op == Op::add || x.op == Op::sub) {
      open.insert(open.end(), {{x.a, factor}, {x.b, x.op == Op::sub ? -factor : factor}});
    } else if (left || right) {
      std::int64_t product = 0;
      const bool is_number = !__builtin_mul_overflow(factor, left ? *left : *right, &product);
      if (!is_number || product > largest_factor || product < -largest_factor) return false;
      open.emplace_back(left ? x.b : x.a, product);
    } else if (!visit(id, factor)) {
      return false;
    }
  }
  return true;
}

// What is multiplied, in order; the expression itself where that is more than a few.
std::vector<ExprId> factors_of(const Expressions& e, ExprId product);

// Calls take(part, is_not) for what a condition joins by "and": each part holds, or with is_not does not hold, where the condition holds.
// `!(x > w || y > h)` has the parts x > w and y > h, neither of which holds. Of a long condition only some.
template <class Take>
void for_each_conjunct(const Expressions& e, ExprId condition, Take&& take) {
  constexpr int most_looked_at = 64;
  std::vector<std::pair<ExprId, bool>> open{{condition, false}};
  for (int i = 0; !open.empty() && i < most_looked_at; ++i) {
    const auto [id, is_not] = open.back();
    open.pop_back();
    const Expr& x = e[id];
    if (x.op == Op::logical_not) {
      open.emplace_back(x.a, !is_not);
    } else if (x.op == (is_not ? Op::logical_or : Op::logical_and)) {
      open.insert(open.end(), {{x.a, is_not}, {x.b, is_not}});
    } else {
      take(id, is_not);
    }
  }
}

// Is a part of it a variable that a loop changes in no simple way, such as a pointer that is swapped with another?
bool holds_loop_value(const Expressions& e, ExprId root);

// i & (size - 1): bits of a thread's number that a size decides, which a sample knows nothing of.
bool is_masked_by_size(const Expressions& e, ExprId root);

}  // namespace frx::derive::cuda
