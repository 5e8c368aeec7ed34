#include "ingest/ptx/expression.h"

#include <array>
#include <bit>
#include <string_view>

#include "ingest/ptx/literal.h"

namespace frx::ingest::ptx {
namespace {

constexpr int most_nested = 50;

struct Operator {
  std::string_view spelling;
  int strength;  // the operator with the higher precedence is applied first
};
// Longer spellings before those they begin with.
constexpr std::array<Operator, 18> operators = {{{"<<", 8},
                                                 {">>", 8},
                                                 {"<=", 7},
                                                 {">=", 7},
                                                 {"==", 6},
                                                 {"!=", 6},
                                                 {"&&", 2},
                                                 {"||", 1},
                                                 {"*", 10},
                                                 {"/", 10},
                                                 {"%", 10},
                                                 {"+", 9},
                                                 {"-", 9},
                                                 {"<", 7},
                                                 {">", 7},
                                                 {"&", 5},
                                                 {"^", 4},
                                                 {"|", 3}}};

class Expression {
 public:
  explicit Expression(Reading& in) : in_(in) {}

  bool all(Constant& value) { return binary(value, 1) && choice(value); }

 private:
  bool binary(Constant& left, int weakest);
  bool choice(Constant& condition);
  bool unary(Constant& value);
  bool primary(Constant& value);
  bool number(Constant& value);
  const Operator* next_operator();
  bool apply(std::string_view name, Constant& left, const Constant& right);
  bool apply_to_integers(std::string_view name, std::uint64_t& left, std::uint64_t right);

  Reading& in_;
  int nested_ = 0;
};

const Operator* Expression::next_operator() {
  const Token& now = in_.lexer.now();
  if (now.kind != Token::mark) return nullptr;
  const char second = in_.lexer.peek();
  for (const Operator& one : operators) {
    if (one.spelling[0] == now.first && (one.spelling.size() == 1 || one.spelling[1] == second)) return &one;
  }
  return nullptr;
}

bool Expression::binary(Constant& left, int weakest) {
  if (!unary(left)) return false;
  for (const Operator* found = next_operator(); found != nullptr && found->strength >= weakest; found = next_operator()) {
    for (std::size_t i = 0; i < found->spelling.size(); ++i) in_.lexer.skip();
    Constant right;
    if (!binary(right, found->strength + 1) || !apply(found->spelling, left, right)) return false;
  }
  return true;
}

bool Expression::choice(Constant& condition) {
  if (!in_.lexer.skip_if('?')) return true;
  Constant yes, no;
  if (!all(yes) || !in_.take(':') || !all(no)) return false;
  condition = condition.bits != 0 ? yes : no;
  return true;
}

bool Expression::unary(Constant& value) {
  const Token now = in_.lexer.now();
  if (!now.is('-') && !now.is('+') && !now.is('~') && !now.is('!')) return primary(value);
  if (++nested_ > most_nested) return in_.expected("a shorter expression");
  in_.lexer.skip();
  if (!unary(value)) return false;
  --nested_;
  if (now.first == '-' && value.kind == Constant::real64) value.bits ^= std::uint64_t{1} << 63;
  if (now.first == '-' && value.kind == Constant::real32) value.bits ^= std::uint64_t{1} << 31;
  if (value.kind != Constant::integer) return true;
  if (now.first == '-') value.bits = -value.bits;
  if (now.first == '~') value.bits = ~value.bits;
  if (now.first == '!') value.bits = value.bits == 0;
  return true;
}

bool Expression::primary(Constant& value) {
  if (!in_.lexer.now().is('(')) return number(value);
  if (++nested_ > most_nested) return in_.expected("a shorter expression");
  in_.lexer.skip();
  const bool cast = in_.lexer.now().kind == Token::directive;  // (.s64): all integers have 64 bits already
  if (cast) in_.lexer.skip();
  if (!cast && !all(value)) return false;
  if (!in_.take(')') || (cast && !unary(value))) return false;
  --nested_;
  return true;
}

bool Expression::number(Constant& value) {
  const Token& now = in_.lexer.now();
  if (now.kind == Token::word && now.spelling == "WARP_SZ") {
    value = {Constant::integer, 32};
  } else {
    const std::optional<Literal> literal = now.kind == Token::number ? parse_literal(now.spelling) : std::nullopt;
    if (!literal) return in_.expected("a number");
    value = {static_cast<Constant::Kind>(literal->kind), literal->bits};
  }
  in_.lexer.skip();
  return true;
}

bool Expression::apply(std::string_view name, Constant& left, const Constant& right) {
  if (left.kind == Constant::integer && right.kind == Constant::integer) return apply_to_integers(name, left.bits, right.bits);
  if (left.kind != Constant::real64 || right.kind != Constant::real64) return in_.expected("numbers of the same kind");
  const double a = std::bit_cast<double>(left.bits), b = std::bit_cast<double>(right.bits);
  switch (name[0]) {
    case '+': left.bits = std::bit_cast<std::uint64_t>(a + b); return true;
    case '-': left.bits = std::bit_cast<std::uint64_t>(a - b); return true;
    case '*': left.bits = std::bit_cast<std::uint64_t>(a * b); return true;
    case '/': left.bits = std::bit_cast<std::uint64_t>(b != 0 ? a / b : 0); return b != 0 || in_.expected("a divisor");
    default: return in_.expected("whole numbers");
  }
}

bool Expression::apply_to_integers(std::string_view name, std::uint64_t& a, std::uint64_t b) {
  if (name == "+")
    a += b;
  else if (name == "-")
    a -= b;
  else if (name == "*")
    a *= b;
  else if (name == "/" || name == "%") {
    if (b == 0) return in_.expected("a divisor other than 0");
    a = name == "/" ? a / b : a % b;
  } else if (name == "<<")
    a = b < 64 ? a << b : 0;
  else if (name == ">>")
    a = b < 64 ? a >> b : 0;
  else if (name == "<")
    a = static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  else if (name == ">")
    a = static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b);
  else if (name == "<=")
    a = static_cast<std::int64_t>(a) <= static_cast<std::int64_t>(b);
  else if (name == ">=")
    a = static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b);
  else if (name == "==")
    a = a == b;
  else if (name == "!=")
    a = a != b;
  else if (name == "&")
    a &= b;
  else if (name == "^")
    a ^= b;
  else if (name == "|")
    a |= b;
  else if (name == "&&")
    a = a != 0 && b != 0;
  else
    a = a != 0 || b != 0;
  return true;
}

}  // namespace

bool at_constant(const Reading& in) {
  const Token& now = in.lexer.now();
  if (now.kind == Token::number) return true;
  if (now.kind == Token::word) return now.spelling == "WARP_SZ";
  return now.is('-') || now.is('+') || now.is('~') || now.is('(');
}

bool read_constant(Reading& in, Constant& value) {
  // Nearly all constants are one number.
  const char next = in.lexer.now().kind == Token::number ? in.lexer.peek() : '\0';
  if (next == ';' || next == ',' || next == ']' || next == '}') {
    const std::optional<Literal> literal = parse_literal(in.lexer.now().spelling);
    if (!literal) return in.expected("a number");
    value = {static_cast<Constant::Kind>(literal->kind), literal->bits};
    in.lexer.skip();
    return true;
  }
  return Expression(in).all(value);
}

bool read_offset(Reading& in, std::int64_t& offset) {
  offset = 0;
  if (!in.lexer.now().is('+') && !in.lexer.now().is('-')) return true;
  // Nearly all offsets are one number: its sign changes nothing.
  if (const char next = in.lexer.now().is('+') ? in.lexer.peek() : '\0'; next >= '0' && next <= '9') in.lexer.skip();
  Constant value;
  if (!read_constant(in, value)) return false;
  if (value.kind != Constant::integer) return in.expected("a whole number of bytes");
  offset = static_cast<std::int64_t>(value.bits);
  return true;
}

}  // namespace frx::ingest::ptx
