// What an expression is made of.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "derive/cuda/expressions.h"

namespace frx::derive::cuda {

// Is some part of an expression, or the expression itself, as asked for? False for a part that is too far down.
bool has_part(const Expressions& e, ExprId root, const std::function<bool(ExprId)>& is_it);

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

// i & (size - 1): bits of a thread's number that a size decides, which a sample knows nothing of.
bool is_masked_by_size(const Expressions& e, ExprId root);

}  // namespace frx::derive::cuda
