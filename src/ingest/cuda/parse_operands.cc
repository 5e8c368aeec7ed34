// Operands: names, numbers, strings, bracketed expressions, lambdas, new, asm.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::begins_operand() const {
  switch (tokens_.kind()) {
    case Tok::word:
    case Tok::number:
    case Tok::quote:
    case Tok::raw:
    case Tok::tick:
    case Tok::exclamation:
    case Tok::tilde:
    case Tok::sizeof_word:
    case Tok::alignof_word:
    case Tok::this_word:
    case Tok::true_word:
    case Tok::false_word:
    case Tok::null_word:
    case Tok::primitive:
    case Tok::scope:
    case Tok::new_word: return true;
    default: return false;
  }
}

// (T)x, (x), (T){1}: an ambiguous form is not a cast.
bool Parser::brackets() {
  const From from = here();
  if (attempt([&] { return cast(from, true); })) return true;
  const auto plain = [&] {
    const InBrackets in_brackets(*this);
    return take(Tok::left_paren) && expression_or_comma() && take(Tok::right_paren) && make(NodeKind::parenthesized, from);
  };
  return attempt(plain) || cast(from, false);
}

bool Parser::cast(From from, bool must_be_one) {
  {
    const InBrackets in_brackets(*this);
    if (!take(Tok::left_paren) || !type_descriptor() || !role(Role::type) || !take(Tok::right_paren)) return false;
  }
  if (at(Tok::left_brace)) return initializer_list() && role(Role::value) && make(NodeKind::compound_literal, from);
  if (must_be_one && !begins_operand() && !is_behind_scoped_name(from)) return false;
  return unary() && role(Role::value) && make(NodeKind::cast, from);
}

// (a)-b is a difference, and the grammar parses (a::b)-c as a cast.
bool Parser::is_behind_scoped_name(From from) const {
  const bool is_open = at(Tok::left_paren) || at(Tok::minus) || at(Tok::plus) || at(Tok::star) || at(Tok::ampersand);
  return is_open && out_.has(NodeKind::qualified_identifier, from.mark) && !out_.has(NodeKind::template_arguments, from.mark);
}

bool Parser::capture() {
  const From from = here();
  if (at(Tok::this_word)) return leaf(NodeKind::this_pointer);
  if (at(Tok::assign)) return around_token(NodeKind::other);
  if (at(Tok::ampersand)) {
    const Tok behind = tokens_.peek();
    if (behind == Tok::comma || behind == Tok::right_square) return around_token(NodeKind::other);
    return token() && leaf_if(Tok::word, NodeKind::identifier) && !at(Tok::assign);
  }
  if (!leaf_if(Tok::word, NodeKind::identifier)) return false;
  if (!at(Tok::assign)) return at(Tok::comma) || at(Tok::right_square);
  return role(Role::left) && token() && expression() && role(Role::right) && make(NodeKind::other, from);
}

bool Parser::lambda() {
  const InBrackets in_brackets(*this);
  const From from = here();
  take(Tok::left_square);
  while (!at(Tok::right_square)) {
    if (!capture() || !(at(Tok::right_square) || take(Tok::comma))) return false;
  }
  next();
  make(NodeKind::other, from);
  while (at(Tok::modifier) || (at_macro_name() && tokens_.peek() == Tok::left_paren)) token();
  if (at(Tok::left_paren)) {
    const From parameters = here();
    if (!parameter_list() || !role(Role::parameters) || !function_end() || !make(NodeKind::other, parameters)) return false;
    role(Role::declarator);
  }
  return at(Tok::left_brace) && compound() && role(Role::body) && make(NodeKind::lambda, from);
}

bool Parser::new_object() {
  const From from = here();
  token();
  if (at(Tok::left_paren) && !argument_list()) return false;
  if (!type() || !role(Role::type)) return false;
  if (at(Tok::left_square)) {
    const From size = here();
    const InBrackets in_brackets(*this);
    next();
    if (!expression() || !take(Tok::right_square) || at(Tok::left_square) || !make(NodeKind::other, size)) return false;
    role(Role::declarator);
  }
  if (at(Tok::left_paren) && !(argument_list() && role(Role::arguments))) return false;
  if (at(Tok::left_brace) && !(initializer_list() && role(Role::arguments))) return false;
  return make(NodeKind::other, from);
}

bool Parser::delete_object() {
  const From from = here();
  token();
  if (take(Tok::left_square) && !take(Tok::right_square)) return false;
  return unary() && make(NodeKind::other, from);
}

bool Parser::size_of() {
  const Deeper deeper(*this);
  if (!deeper) return false;
  const From from = here();
  token();
  if (at(Tok::ellipsis)) {
    token();
    return take(Tok::left_paren) && leaf_if(Tok::word, NodeKind::identifier) && role(Role::value) && take(Tok::right_paren) &&
           make(NodeKind::sizeof_expression, from);
  }
  if (!at(Tok::left_paren)) return unary() && role(Role::value) && make(NodeKind::sizeof_expression, from);
  const InBrackets in_brackets(*this);
  const From operand = here();
  // An ambiguous name is a name, not a type.
  const auto name = [&] {
    return take(Tok::left_paren) && expression_or_comma() && take(Tok::right_paren) && make(NodeKind::parenthesized, operand) &&
           role(Role::value);
  };
  const auto type = [&] { return take(Tok::left_paren) && type_descriptor() && role(Role::type) && take(Tok::right_paren); };
  // A scope makes it a type.
  const auto scoped_type = [&] {
    return type() && out_.has(NodeKind::qualified_identifier, operand.mark) && !out_.has(NodeKind::template_arguments, operand.mark);
  };
  if (!attempt(scoped_type) && !attempt(name) && !type()) return false;
  const bool goes_on = at(Tok::left_square) || at(Tok::left_paren) || at(Tok::dot) || at(Tok::arrow) || at(Tok::left_brace);
  return !goes_on && make(NodeKind::sizeof_expression, from);
}

bool Parser::align_of() {
  const From from = here();
  const InBrackets in_brackets(*this);
  token();
  return take(Tok::left_paren) && type_descriptor() && role(Role::type) && take(Tok::right_paren) && make(NodeKind::other, from);
}

// a::b, T{1, 2}
bool Parser::name_or_object() {
  const From from = here();
  if (attempt([&] { return name() && !at(Tok::left_brace); })) return true;
  return name_parts(true, true) && role(Role::type) && at(Tok::left_brace) && initializer_list() && role(Role::value) &&
         make(NodeKind::compound_literal, from);
}

bool Parser::primary() {
  const Deeper deeper(*this);
  if (!deeper) return false;
  tokens_.join_sign();
  const From from = here();
  switch (tokens_.kind()) {
    case Tok::number: return leaf(NodeKind::number);
    case Tok::quote:
    case Tok::raw: return strings();
    case Tok::tick: return character();
    case Tok::true_word: return leaf(NodeKind::true_literal);
    case Tok::false_word: return leaf(NodeKind::false_literal);
    case Tok::null_word: return around_token(NodeKind::other);
    case Tok::this_word: return leaf(NodeKind::this_pointer);
    case Tok::left_paren: return brackets();
    case Tok::left_square: return lambda();
    case Tok::new_word: return new_object();
    case Tok::delete_word: return delete_object();
    case Tok::sizeof_word: return size_of();
    case Tok::alignof_word: return align_of();
    case Tok::assembly: return assembly();
    case Tok::primitive:
      leaf(NodeKind::primitive_type);
      if (at(Tok::left_paren)) return role(Role::function) && argument_list() && role(Role::arguments) && make(NodeKind::call, from);
      return at(Tok::left_brace) && role(Role::type) && initializer_list() && role(Role::value) && make(NodeKind::compound_literal, from);
    case Tok::virtual_end: return leaf(NodeKind::identifier);                                 // a variable called final
    case Tok::sized: return tokens_.peek() == Tok::left_paren && leaf(NodeKind::identifier);  // short(x)
    case Tok::word:
      if (tokens_.peek() == Tok::quote) return strings();
      [[fallthrough]];
    case Tok::scope: return name_or_object();
    default: return false;
  }
}

}  // namespace frx::ingest::cuda
