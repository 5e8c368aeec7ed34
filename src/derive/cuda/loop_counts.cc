#include "derive/cuda/loop_counts.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {
namespace {

constexpr int deepest = 16;

// An expression in the iteration of that number. `first` counts as 0: both sides of a comparison may begin there.
std::optional<std::int64_t> value_in(const Expressions& e, ExprId id, ExprId iteration, std::int64_t number, ExprId first, int depth = 0) {
  if (id == iteration) return number;
  if (id == first) return 0;
  if (const auto constant = e.constant_of(id)) return constant;
  const Expr& x = e[id];
  if (x.op < Op::add || x.op == Op::select || depth > deepest) return std::nullopt;
  const auto a = value_in(e, x.a, iteration, number, first, depth + 1);
  const auto b = x.op < Op::neg ? value_in(e, x.b, iteration, number, first, depth + 1) : 0;
  return a && b ? calculate(x.op, *a, *b) : std::nullopt;
}

// The terms of a sum that are no constants.
std::vector<ExprId> terms_of(const Expressions& e, ExprId sum) {
  constexpr int most = 16;
  std::vector<ExprId> terms;
  walk_parts(e, sum, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::add || x.op == Op::sub) return Operands{x.a, x.b};
    if (!e.constant_of(id)) terms.push_back(id);
    return Operands();
  });
  return terms;
}

// The term that both sides of `l < l0 + 4` or `l0 - 2 + k <= l0 + 1` begin with; no expression otherwise.
ExprId common_start(const Expressions& e, const Expr& test, ExprId iteration) {
  constexpr ExprId no_expression = ~ExprId{0};
  if (test.op != Op::lt && test.op != Op::le && test.op != Op::ne) return no_expression;
  const std::vector<ExprId> left = terms_of(e, test.a), right = terms_of(e, test.b);
  const auto first = std::ranges::find_first_of(left, right);
  return first != left.end() && *first != iteration ? *first : no_expression;
}

}  // namespace

std::optional<std::int64_t> constant_iterations(const Expressions& e, const Loop& loop, std::int64_t most) {
  if (!e.uses(loop.condition, Uses::iteration)) return std::nullopt;
  const ExprId first = common_start(e, e[loop.condition], loop.iteration);
  for (std::int64_t number = 0; number <= most; ++number) {
    const auto again = value_in(e, loop.condition, loop.iteration, number, first);
    if (!again) return std::nullopt;
    if (*again == 0) return number;
  }
  return std::nullopt;
}

bool runs_at_least(const Expressions& e, const Loop& loop, std::int64_t least) {
  if (!e.uses(loop.condition, Uses::iteration)) return false;
  const ExprId first = common_start(e, e[loop.condition], loop.iteration);
  for (std::int64_t number = 0; number < least; ++number) {
    if (value_in(e, loop.condition, loop.iteration, number, first).value_or(0) == 0) return false;
  }
  return true;
}

std::optional<ExprId> counted_length(const Expressions& e, const Loop& loop) {
  return e[loop.condition].a == loop.iteration ? end_of(e, e[loop.condition]) : std::nullopt;
}

std::optional<ExprId> end_of(const Expressions& e, const Expr& test) {
  if (test.op != Op::lt && test.op != Op::le && test.op != Op::ne) return std::nullopt;
  if (test.op != Op::le) return test.b;
  const Expr& last = e[test.b];
  if (last.op == Op::sub && e.constant_of(last.b) == 1) return last.a;
  return last.op == Op::add && e.constant_of(last.b) == -1 ? std::optional(last.a) : std::nullopt;
}

bool holds_parameter(const Trace& trace, ExprId root) {
  constexpr int most = 64;
  bool found = false;
  walk_parts(trace.expressions, root, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    found = std::ranges::find(trace.parameters, id) != trace.parameters.end();
    if (found) return std::nullopt;
    return x.op >= Op::add && x.op <= Op::bit_xor ? Operands{x.a, x.b} : Operands();
  });
  return found;
}

std::string_view condition_of(const Program& program, const Loop& loop) {
  const Source& source = program.sources()[loop.at.source];
  const std::uint32_t node = source.syntax.child(loop.at.node, Role::condition);
  std::string_view text = source.text_of(node);
  const bool is_in_parentheses = source.syntax.is(node, NodeKind::condition_clause) || source.syntax.is(node, NodeKind::parenthesized);
  if (is_in_parentheses && text.size() > 2) text = trim(text.substr(1, text.size() - 2));
  return text;
}

}  // namespace frx::derive::cuda
