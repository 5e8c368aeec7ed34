#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {

Operands Operands::all_of(const Expr& x) {
  if (x.op < Op::load) return {};
  if (x.op == Op::select) return {x.a, x.b, x.c};
  return x.op == Op::load || x.op >= Op::neg ? Operands{x.a} : Operands{x.a, x.b};
}

std::vector<ExprId> factors_of(const Expressions& e, ExprId product) {
  constexpr int most = 16;
  std::vector<ExprId> factors;
  const bool are_all = walk_parts(e, product, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::mul) return Operands{x.a, x.b};
    factors.push_back(id);
    return Operands();
  });
  if (!are_all) return {product};
  std::ranges::sort(factors);
  return factors;
}

bool holds_loop_value(const Expressions& e, ExprId root) {
  constexpr int most = 128;
  return !walk_parts(e, root, most,
                     [](ExprId, const Expr& x) { return x.op == Op::loop_value ? std::nullopt : std::optional(Operands::all_of(x)); });
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
