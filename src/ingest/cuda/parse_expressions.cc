// Expressions: operators by precedence, and postfix parts of an operand.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {
namespace {

// 0: no operator between two operands.
int strength(Tok kind) {
  switch (kind) {
    case Tok::or_or: return 1;
    case Tok::and_and: return 2;
    case Tok::pipe: return 3;
    case Tok::caret: return 4;
    case Tok::ampersand: return 5;
    case Tok::equal:
    case Tok::not_equal: return 6;
    case Tok::less:
    case Tok::greater:
    case Tok::less_equal:
    case Tok::greater_equal: return 7;
    case Tok::shift_left:
    case Tok::shift_right: return 9;
    case Tok::plus:
    case Tok::minus: return 10;
    case Tok::star:
    case Tok::slash:
    case Tok::percent: return 11;
    default: return 0;
  }
}

bool is_assignment(Tok kind) {
  switch (kind) {
    case Tok::assign:
    case Tok::add_assign:
    case Tok::sub_assign:
    case Tok::mul_assign:
    case Tok::div_assign:
    case Tok::mod_assign:
    case Tok::and_assign:
    case Tok::or_assign:
    case Tok::xor_assign:
    case Tok::shift_left_assign:
    case Tok::shift_right_assign: return true;
    default: return false;
  }
}

bool is_assignable(model::cuda::NodeKind kind) {
  using model::cuda::NodeKind;
  return kind == NodeKind::identifier || kind == NodeKind::call || kind == NodeKind::field_expression ||
         kind == NodeKind::pointer_expression || kind == NodeKind::subscript || kind == NodeKind::parenthesized ||
         kind == NodeKind::qualified_identifier;
}

}  // namespace

bool Parser::expression_or_comma() {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper || !expression()) return false;
  if (!at(Tok::comma)) return true;
  role(Role::left);
  next();
  return expression_or_comma() && role(Role::right) && make(NodeKind::comma, from);
}

bool Parser::expression() {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper || !conditional()) return false;
  if (!is_assignment(tokens_.kind()) || (angle_closes_ && is_angle_end())) return true;
  if (!is_assignable(out_.newest())) return false;
  role(Role::left);
  token();
  role(Role::op);
  return initializer() && role(Role::right) && make(NodeKind::assignment, from);
}

bool Parser::initializer() { return at(Tok::left_brace) ? initializer_list() : expression(); }

bool Parser::conditional() {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper || !binary(1)) return false;
  if (!at(Tok::question)) return true;
  role(Role::condition);
  token();
  if (!expression_or_comma() || !role(Role::consequence) || !at(Tok::colon)) return false;
  token();
  return conditional() && role(Role::alternative) && make(NodeKind::conditional, from);
}

bool Parser::binary(int lowest) {
  const From from = here();
  if (!unary()) return false;
  for (int force = strength(tokens_.kind()); force >= lowest; force = strength(tokens_.kind())) {
    if (force == 0 || (angle_closes_ && is_angle_end())) return true;
    role(Role::left);
    token();
    role(Role::op);
    if (!binary(force + 1)) return false;
    role(Role::right);
    make(NodeKind::binary, from);
  }
  return true;
}

bool Parser::unary() {
  const Deeper deeper(*this);
  if (!deeper) return false;
  tokens_.join_sign();
  const From from = here();
  NodeKind kind = NodeKind::unary;
  switch (tokens_.kind()) {
    case Tok::plus:
    case Tok::minus:
    case Tok::exclamation:
    case Tok::tilde: break;
    case Tok::star:
    case Tok::ampersand: kind = NodeKind::pointer_expression; break;
    case Tok::plus_plus:
    case Tok::minus_minus: kind = NodeKind::update; break;
    default: return postfix();
  }
  token();
  role(Role::op);
  return unary() && role(Role::argument) && make(kind, from);
}

}  // namespace frx::ingest::cuda
