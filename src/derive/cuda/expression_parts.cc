#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {

bool has_part(const Expressions& e, ExprId root, const std::function<bool(ExprId)>& is_it) {
  constexpr int most_looked_at = 256;
  std::vector<ExprId> open{root};
  for (int looked_at = 0; !open.empty() && looked_at < most_looked_at; ++looked_at) {
    const ExprId id = open.back();
    open.pop_back();
    if (is_it(id)) return true;
    const Expr& x = e[id];
    if (x.op < Op::load) continue;
    open.push_back(x.a);
    if (x.op == Op::load || (x.op >= Op::neg && x.op < Op::select)) continue;
    open.push_back(x.b);
    if (x.op == Op::select) open.push_back(x.c);
  }
  return false;
}

bool is_masked_by_size(const Expressions& e, ExprId root) {
  return has_part(e, root, [&](ExprId id) {
    const Expr& x = e[id];
    if (x.op != Op::bit_and && x.op != Op::bit_or && x.op != Op::bit_xor) return false;
    const ExprId other = e.uses(x.a, Uses::thread) ? x.b : x.a;
    return e.uses(id, Uses::thread) && !e.uses(other, Uses::thread) && e.uses(other, Uses::uniform | Uses::loaded);
  });
}

}  // namespace frx::derive::cuda
