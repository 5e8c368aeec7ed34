// Whether the number of blocks of a launch covers the data and more, or no more than the data.
//
//   (n + 255) / 256    n / 256 + 1    ceil(n / 256.0)    n / 256 + (n % 256 != 0)    n % 256 ? n / 256 + 1 : n / 256
//
// Numbers of blocks that are constants have lost how they were computed: for these the quotient says at its place whether it was rounded.
#include <algorithm>
#include <cmath>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/value_types.h"
#include "derive/cuda/walker.h"

namespace frx::derive::cuda {
namespace {

constexpr int most_parts = 32;  // of an expression that are looked at

// n / 8, n / size, n >> 3
struct Quotient {
  ExprId dividend = 0;
  std::optional<ExprId> divisor;   // nothing for a shift
  std::optional<std::int64_t> by;  // where it is a constant
};

std::optional<Quotient> quotient_at(const Expressions& e, ExprId id) {
  const Expr& x = e[id];
  const std::optional<std::int64_t> number = x.op == Op::div || x.op == Op::shr ? e.constant_of(x.b) : std::nullopt;
  if (x.op == Op::div && number.value_or(2) > 1) return Quotient{x.a, x.b, number};
  constexpr std::int64_t most_bits = 30;
  if (x.op == Op::shr && number && *number > 0 && *number <= most_bits) return Quotient{x.a, std::nullopt, std::int64_t{1} << *number};
  return std::nullopt;
}

// (n + 7) / 8, (n - 1 + 8) / 8, (n + size - 1) / size, (n + 7) >> 3
bool is_rounded_up_quotient(const Expressions& e, ExprId blocks) {
  const std::optional<Quotient> quotient = quotient_at(e, blocks);
  if (!quotient) return false;
  constexpr int most_terms = 8;
  std::int64_t more = 0;
  bool has_divisor = false;
  walk_parts(e, quotient->dividend, most_terms, [&](ExprId part, const Expr& x) -> std::optional<Operands> {
    if (const auto number = e.constant_of(part)) {
      more += *number;
    } else if (part == quotient->divisor) {
      has_divisor = true;
    } else if (x.op == Op::add) {
      return Operands{x.a, x.b};
    } else if (x.op == Op::sub && e.constant_of(x.b)) {
      more -= *e.constant_of(x.b);
      return Operands{x.a};
    } else if (x.op == Op::sub && e.constant_of(x.a)) {  // n + (size - 1) is n - (1 - size) to some
      more += *e.constant_of(x.a);
    }
    return Operands();
  });
  return quotient->by ? more == *quotient->by - 1 : has_divisor && more == -1;
}

// Does it hold, or is it 1, where `quotient` leaves a rest: n % 8, n % 8 != 0, n % 8 == 0 ? 0 : 1, (n & 7) != 0?
bool depends_on_rest(const Expressions& e, ExprId id, const Quotient& quotient) {
  return has_part(e, id, [&](ExprId part) {
    const Expr& x = e[part];
    if (x.a != quotient.dividend) return false;
    const std::optional<std::int64_t> number = x.op == Op::mod || x.op == Op::bit_and ? e.constant_of(x.b) : std::nullopt;
    if (x.op == Op::mod) return x.b == quotient.divisor || (number && number == quotient.by);
    return x.op == Op::bit_and && number && quotient.by && *number == *quotient.by - 1;
  });
}

// n / 8 + 1, n / 8 + (n % 8 != 0)
bool adds_to_quotient(const Expressions& e, ExprId blocks) {
  const Expr& sum = e[blocks];
  if (sum.op != Op::add) return false;
  const auto is_more = [&](ExprId quotient, ExprId more) {
    const std::optional<Quotient> found = quotient_at(e, quotient);
    if (!found) return false;
    return e.constant_of(more) == 1 || (e[more].op != Op::mod && depends_on_rest(e, more, *found));
  };
  return is_more(sum.a, sum.b) || is_more(sum.b, sum.a);
}

}  // namespace

// if (n % 1024 != 0) return false; ... (n + 255) / 256: is there no rest, as the host has asked before?
bool Walker::refuses_rest(ExprId blocks) const {
  const std::optional<Quotient> quotient = refused_rests_.empty() ? std::nullopt : quotient_at(e_, blocks);
  if (!quotient || !quotient->by) return false;
  return std::ranges::any_of(refused_rests_, [&](const RefusedRest& refused) {
    std::uint32_t c = context_;
    while (c != none && c != refused.context) c = trace_.contexts[c].parent;
    return c == refused.context && refused.by % *quotient->by == 0 &&
           has_part(e_, quotient->dividend, [&](ExprId size) { return size == refused.size; });
  });
}

// if (n % 1024 != 0 || n > most) { fprintf(stderr, "..."); return false; }: behind it n is a multiple.
void Walker::note_refused_rest(ExprId condition, std::uint32_t consequence) {
  constexpr std::size_t most_rests = 16;
  if (is_kernel_ || quiet_ || refused_rests_.size() >= most_rests || !leaves_function(consequence)) return;
  walk_parts(e_, condition, most_parts, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::logical_or) return Operands{x.a, x.b};
    const ExprId rest = x.op == Op::ne && e_.constant_of(x.b) == 0 ? x.a : id;
    const std::int64_t by = e_[rest].op == Op::mod ? e_.constant_of(e_[rest].b).value_or(0) : 0;
    if (by > 1) refused_rests_.push_back({e_[rest].a, by, context_});
    return Operands();
  });
}

// Does a statement, or one of those in its braces, certainly leave the function?
bool Walker::leaves_function(std::uint32_t statement) const {
  if (syntax().is(statement, NodeKind::return_statement)) return true;
  if (syntax().is(statement, NodeKind::compound_statement)) {
    for (std::uint32_t c = syntax().first_child(statement); c != none; c = syntax().next_sibling(c)) {
      if (!syntax().is(c, NodeKind::compound_statement) && leaves_function(c)) return true;
    }
    return false;
  }
  if (!syntax().is(statement, NodeKind::expression_statement)) return text(statement).starts_with("throw");
  const std::uint32_t call = syntax().first_child(statement);
  const std::string_view called = syntax().is(call, NodeKind::call) ? callee_name(source(), call) : "";
  return called == "exit" || called == "abort";
}

// Also of the larger one of that and a number, and of a choice of which one side is.
bool Walker::rounds_up(ExprId blocks) const {
  bool found = false;
  walk_parts(e_, blocks, most_parts, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    found = (is_rounded_up_quotient(e_, id) && !refuses_rest(id)) || adds_to_quotient(e_, id);
    if (found) return std::nullopt;
    if (x.op == Op::select) return Operands{x.b, x.c};
    return x.op == Op::max || x.op == Op::min ? Operands{x.a, x.b} : Operands();
  });
  return found;
}

// n / 8: the data is a multiple of the block, or the rest is left to others.
bool Walker::rounds_down(ExprId blocks) const {
  const std::optional<Quotient> quotient = quotient_at(e_, blocks);
  if (!quotient) return false;
  const Expr& dividend = e_[quotient->dividend];
  // (n + 255) / 256 * 256 leaves no rest.
  const auto is_divisor = [&](ExprId factor) {
    return factor == quotient->divisor || (quotient->by && e_.constant_of(factor).value_or(1) % *quotient->by == 0);
  };
  bool is_multiple = dividend.op == Op::mul && (is_divisor(dividend.a) || is_divisor(dividend.b));
  const std::optional<std::int64_t> number = e_.constant_of(dividend.b);
  if (dividend.op == Op::shl && quotient->by)
    is_multiple = number && *number >= 0 && *number < 31 && (std::int64_t{1} << *number) % *quotient->by == 0;
  if (dividend.op == Op::bit_and && quotient->by) is_multiple = number && (*number & (*quotient->by - 1)) == 0;
  return dividend.op != Op::add && dividend.op != Op::sub && !is_multiple;
}

model::cuda::GridRounding Walker::rounding_of(const Value& grid) const {
  const bool is_triple = grid.kind == Value::triple;
  return {(grid.rounded_up & 1) != 0 || rounds_up(grid.expr), is_triple && ((grid.rounded_up & 2) != 0 || rounds_up(grid.y)),
          rounds_down(grid.expr)};
}

// (10000 + 255) / 256, and 10000 / 256 + 1: does the operation of two constants give more blocks than the data have?
bool Walker::exceeds_constant(std::uint32_t node, Op op, const Value& a, const Value& b) {
  const auto left = e_.constant_of(a.expr), right = e_.constant_of(b.expr);
  if (is_kernel_ || !left || !right) return false;
  const std::uint32_t operand = unwrapped(syntax().child(node, Role::left));
  if (!syntax().is(operand, NodeKind::binary)) return false;
  const std::string_view sign = text(syntax().child(operand, Role::op));
  if (op == Op::add) return sign == "/" && *right == 1;
  if (op != Op::div || *right < 2 || (sign != "+" && sign != "-") || *left < 0) return false;
  return *left % *right != *right - 1 && *left >= *right;
}

// ceil(n / 256.0) in host code, as the whole number that it is; ceil(n / 256), of whole numbers, is n / 256.
std::optional<Value> Walker::eval_ceil(std::string_view name, std::uint32_t call) {
  if (is_kernel_ || (name != "ceil" && name != "ceilf")) return std::nullopt;
  std::uint32_t argument = first_argument(call);
  if (argument == none) return std::nullopt;
  argument = unwrapped(argument);
  while (syntax().is(argument, NodeKind::cast)) argument = unwrapped(syntax().child(argument, Role::value));
  if (!syntax().is(argument, NodeKind::binary) || text(syntax().child(argument, Role::op)) != "/") return std::nullopt;
  const std::uint32_t function = frames_.back().function;
  auto [types, is_new] = host_types_.try_emplace(function);
  if (is_new) types->second = std::make_unique<ValueTypes>(program_, program_.functions()[function]);
  const Function& around = program_.functions()[function];
  if (around.at.source != source_ || argument < around.at.node || argument >= syntax()[around.at.node].last) return std::nullopt;
  const Arithmetic type = types->second->of(argument).type;
  if (type == Arithmetic::unknown) return std::nullopt;
  if (type == Arithmetic::int32 || type == Arithmetic::int64) return eval(argument);
  const auto operand = [&](Role role) {
    const std::uint32_t node = syntax().child(argument, role);
    constexpr double most = 1 << 30;
    const std::optional<double> literal = types->second->of(node).literal;
    const bool is_whole = literal && *literal >= 1 && *literal <= most && std::floor(*literal) == *literal;
    return is_whole ? number(static_cast<std::int64_t>(*literal)) : eval(node);
  };
  const Value dividend = operand(Role::left), divisor = operand(Role::right);
  if (dividend.kind != Value::number || divisor.kind != Value::number) return std::nullopt;
  const ExprId last = e_.binary(Op::sub, divisor.expr, e_.constant(1)), sum = e_.binary(Op::add, dividend.expr, last);
  Value blocks = with(e_.binary(Op::div, sum, divisor.expr));
  const auto all = e_.constant_of(dividend.expr), by = e_.constant_of(divisor.expr);
  if (all && by && *by > 1 && *all > 0 && *all % *by != 0) blocks.rounded_up = 1;
  return blocks;
}

}  // namespace frx::derive::cuda
