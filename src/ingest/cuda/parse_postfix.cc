// Postfix parts of an operand: calls, launches, subscripts, members; and lists of values.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::postfix() {
  const From from = here();
  if (!primary()) return false;
  const NodeKind kind = out_.newest();
  // A cast is already one node with its operand; so are these.
  if (kind == NodeKind::cast || kind == NodeKind::sizeof_expression || kind == NodeKind::assembly) return true;
  while (true) {
    switch (tokens_.kind()) {
      case Tok::left_paren:
        if (!call(from)) return false;
        break;
      case Tok::launch_open:
        if (!launch(from)) return false;
        break;
      case Tok::left_square:
        if (!subscript(from)) return false;
        break;
      case Tok::dot:
      case Tok::arrow:
        if (!field(from)) return false;
        break;
      case Tok::plus_plus:
      case Tok::minus_minus:
        role(Role::argument);
        token();
        role(Role::op);
        make(NodeKind::update, from);
        break;
      default: return true;
    }
  }
}

bool Parser::call(From from) {
  role(Role::function);
  return argument_list() && role(Role::arguments) && make(NodeKind::call, from);
}

namespace {

// Does an operator stand before a place? The end of a comment is none.
bool is_behind_operator(std::string_view text, std::uint32_t begin) {
  const std::size_t last = text.substr(0, begin).find_last_not_of(" \t\r\n");
  if (last == text.npos || text.substr(0, last + 1).ends_with("*/")) return false;
  return std::string_view("-+*/%&|^<>=!~?").find(text[last]) != std::string_view::npos;
}

}  // namespace

bool Parser::launch(From from) {
  // The grammar reads `a - k<<<g, b>>>()` as a launch of the difference.
  if (is_behind_operator(tokens_.text(), from.begin)) return false;
  role(Role::function);
  const From config = here();
  {
    const InBrackets in_brackets(*this);
    token();
    do {
      if (!expression()) return false;
    } while (take(Tok::comma));
  }
  if (!at(Tok::launch_close)) return false;
  token();
  make(NodeKind::kernel_call_syntax, config);
  return argument_list() && role(Role::arguments) && make(NodeKind::call, from);
}

bool Parser::subscript(From from) {
  role(Role::argument);
  const InBrackets in_brackets(*this);
  const From indices = here();
  next();
  while (!at(Tok::right_square)) {
    if (!initializer() || !(at(Tok::right_square) || take(Tok::comma))) return false;
  }
  next();
  return make(NodeKind::subscript_arguments, indices) && role(Role::indices) && make(NodeKind::subscript, from);
}

// Where the arguments are numbers, the grammar usually parses o.f<3>(x) as a comparison.
bool Parser::field(From from) {
  role(Role::argument);
  token();
  role(Role::op);
  const From name = here();
  if (at(Tok::template_word)) return dependent_method() && role(Role::field) && make(NodeKind::field_expression, from);
  if (!leaf_if(Tok::word, NodeKind::field_identifier)) return false;
  if (at(Tok::scope)) return false;
  if (at(Tok::less)) {
    const bool is_template = attempt([&] {
      role(Role::name);
      if (!template_arguments() || !role(Role::arguments) || !at(Tok::left_paren)) return false;
      return make(NodeKind::template_method, name);
    });
    const bool is_sure = !is_template || out_.has(NodeKind::type_descriptor, name.mark) || tokens_.peek() == Tok::right_paren;
    if (!is_sure) return false;
  }
  return role(Role::field) && make(NodeKind::field_expression, from);
}

// o.template f<3>
bool Parser::dependent_method() {
  const From from = here();
  token();
  const From name = here();
  return leaf_if(Tok::word, NodeKind::field_identifier) && role(Role::name) && template_arguments() && role(Role::arguments) &&
         make(NodeKind::template_method, name) && make(NodeKind::other, from);
}

bool Parser::argument_list() {
  const InBrackets in_brackets(*this);
  const From from = here();
  if (!take(Tok::left_paren)) return false;
  while (!at(Tok::right_paren)) {
    const From argument = here();
    if (!initializer()) return false;
    if (at(Tok::ellipsis)) {
      token();
      make(NodeKind::other, argument);
    }
    if (!at(Tok::right_paren) && (!take(Tok::comma) || at(Tok::right_paren))) return false;
  }
  next();
  return make(NodeKind::argument_list, from);
}

bool Parser::initializer_list() {
  const Deeper deeper(*this);
  const InBrackets in_brackets(*this);
  const From from = here();
  if (!deeper || !take(Tok::left_brace)) return false;
  while (!at(Tok::right_brace)) {
    const From pair = here();
    if (at(Tok::dot)) {
      token();
      if (!leaf_if(Tok::word, NodeKind::field_identifier) || !make(NodeKind::other, pair) || !at(Tok::assign)) return false;
      token();
      if (!initializer() || !role(Role::value) || !make(NodeKind::other, pair)) return false;
    } else if (!initializer()) {
      return false;
    }
    if (!at(Tok::right_brace) && !take(Tok::comma)) return false;
  }
  next();
  return make(NodeKind::initializer_list, from);
}

}  // namespace frx::ingest::cuda
