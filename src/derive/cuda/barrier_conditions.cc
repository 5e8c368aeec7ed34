#include "derive/cuda/barrier_conditions.h"

#include <algorithm>
#include <vector>

#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {
namespace {

constexpr int most_steps = 64;  // through the parts of a condition

// Is all that is unknown in an expression read from addresses of which the lanes of a warp have one each, or the warps of a block? A
// variable of a loop is what it was before and what the iterations make of it.
bool is_of_own_loads(const Trace& trace, const Lanes& lanes, ExprId root, bool of_block) {
  const Expressions& e = trace.expressions;
  std::vector<ExprId> seen;
  bool any = false;
  const bool is_complete = walk_parts(e, root, most_steps, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (lanes.is_known(id) || std::ranges::find(seen, id) != seen.end()) return Operands();
    seen.push_back(id);
    if (x.op == Op::varying || x.op == Op::opaque) return std::nullopt;
    if (x.op == Op::load) {
      const std::uint32_t other = of_block ? lanes.count() - 1 : 1;
      const bool is_own =
          lanes.is_known(x.a) && lanes.count() > 1 && (lanes.at(x.a, 0) != lanes.at(x.a, 1) || lanes.at(x.a, 0) != lanes.at(x.a, other));
      if (!is_own || trace.memories[x.b].space != Space::global) return std::nullopt;
      any = true;
      return Operands();
    }
    if (x.op != Op::loop_value) return Operands::all_of(x);
    const LoopValue* const value = trace.loop_value(id);
    if (!value || e.uses(id, Uses::opaque)) return std::nullopt;
    return Operands{value->before, value->made};
  });
  return is_complete && any;
}

}  // namespace

bool is_of_thread_alone(const Expressions& e, ExprId condition) {
  if (!e.uses(condition, Uses::thread)) return false;
  if (e.uses(condition, Uses::block | Uses::loaded | Uses::varying | Uses::opaque | Uses::floating)) return false;
  return walk_parts(e, condition, most_steps, [](ExprId, const Expr& x) {
    return x.op == Op::uniform || x.op == Op::select ? std::nullopt : std::optional(Operands::all_of(x));
  });
}

bool is_sized_by_launch(const Expressions& e, ExprId alive) {
  return e.uses(alive, Uses::uniform) && !e.uses(alive, Uses::block | Uses::varying | Uses::iteration | Uses::loaded);
}

bool is_of_template(const Trace& trace, ExprId condition) {
  const Expressions& e = trace.expressions;
  if (!e.uses(condition, Uses::uniform)) return false;
  constexpr int most = 256;
  bool any = false;
  const bool is_complete = walk_parts(e, condition, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::uniform && !trace.is_template_value(id)) return std::nullopt;
    if (x.op >= Op::block_x && x.op <= Op::block_z) return std::nullopt;
    any = any || x.op == Op::uniform;
    return Operands::all_of(x);
  });
  return is_complete && any;
}

bool loads_differ(const Trace& trace, const Lanes& lanes, ExprId condition, bool of_block) {
  bool differs = false;
  walk_parts(trace.expressions, condition, most_steps, [&](ExprId part, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::logical_and || x.op == Op::logical_or || x.op == Op::logical_not) return Operands::all_of(x);
    differs = is_of_own_loads(trace, lanes, part, of_block);
    return differs ? std::nullopt : std::optional(Operands());
  });
  return differs;
}

bool ends_at_rounded_size(const Expressions& e, ExprId condition) {
  const Expr& test = e[condition];
  if ((test.op != Op::lt && test.op != Op::le) || e.uses(test.b, Uses::thread)) return false;
  const Expr& end = e[test.b];
  const Expr &a = e[end.a], &b = e[end.b];
  switch (end.op) {
    case Op::sub: return (b.op == Op::mod || b.op == Op::bit_and) && b.a == end.a;
    case Op::mul: return (a.op == Op::div && a.b == end.b) || (b.op == Op::div && b.b == end.a);
    case Op::bit_and: return b.op == Op::bit_not || b.op == Op::neg || e.constant_of(end.b).value_or(0) < 0;
    default: return false;
  }
}

}  // namespace frx::derive::cuda
