// Statements.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::block_item() {
  switch (tokens_.kind()) {
    case Tok::typedef_word: return type_definition();
    case Tok::using_word: return alias_or_using();
    case Tok::static_assert_word: return static_assertion();
    case Tok::namespace_word: return namespace_definition();
    case Tok::template_word:
    case Tok::attribute: return false;
    case Tok::left_attribute: return attempt([&] { return declaration(); }) || attributed_statement();
    default: break;
  }
  if (has_annotations_ && at(Tok::word)) {
    if (attempt([&] { return begins_annotated_declaration() ? declaration() : statement(); })) return true;
    return macro_statement();
  }
  return begins_declaration() ? declaration() : statement();
}

bool Parser::statement() {
  const Deeper deeper(*this);
  if (!deeper) return false;
  switch (tokens_.kind()) {
    case Tok::left_brace: return compound();
    case Tok::if_word: return if_statement();
    case Tok::for_word: return for_statement();
    case Tok::while_word: return while_statement();
    case Tok::do_word: return do_statement();
    case Tok::switch_word: return switch_statement();
    case Tok::case_word:
    case Tok::default_word: return case_statement();
    case Tok::return_word: return return_statement();
    case Tok::break_word: return keyword_statement(NodeKind::break_statement, false);
    case Tok::continue_word: return keyword_statement(NodeKind::continue_statement, false);
    case Tok::throw_word: return keyword_statement(NodeKind::other, true);
    case Tok::goto_word: {
      const From from = here();
      token();
      return leaf_if(Tok::word, NodeKind::other) && take(Tok::semicolon) && make(NodeKind::goto_statement, from);
    }
    case Tok::try_word: return try_statement();
    case Tok::word:
    case Tok::scope: return name_statement();
    default: return expression_statement();
  }
}

bool Parser::compound() {
  const Deeper deeper(*this);
  const InBrackets in_brackets(*this);
  const From from = here();
  if (!deeper || !take(Tok::left_brace)) return false;
  const bool was = std::exchange(is_in_body_, true);
  bool good = true;
  while (good && !at(Tok::right_brace)) good = !at(Tok::end) && block_item();
  is_in_body_ = was;
  if (!good) return false;
  next();
  return make(NodeKind::compound_statement, from);
}

bool Parser::expression_statement() {
  const From from = here();
  if (!at(Tok::semicolon) && !expression_or_comma()) return false;
  return take(Tok::semicolon) && make(NodeKind::expression_statement, from);
}

// `a * b;` is a declaration, `a * b + c;` is not.
bool Parser::name_statement() {
  switch (at(Tok::scope) ? Tok::scope : tokens_.peek()) {
    case Tok::colon: return labeled_statement();
    case Tok::word:
    case Tok::qualifier:
    case Tok::restrict_word: return declaration();
    case Tok::star:
    case Tok::ampersand:
    case Tok::and_and:
    case Tok::less:
    case Tok::scope:
      if (attempt([&] { return declaration(); })) return true;
      return expression_statement();
    case Tok::quote: return false;
    // FOR_EACH(i, n) { ... }
    case Tok::left_paren: return attempt([&] { return expression_statement(); }) || constructor(false);
    default: return expression_statement();
  }
}

// [[likely]] if (x) ...
bool Parser::attributed_statement() {
  const From from = here();
  while (at(Tok::left_attribute)) {
    if (!attribute_declaration()) return false;
  }
  return statement() && make(NodeKind::other, from);
}

bool Parser::labeled_statement() {
  const From from = here();
  leaf(NodeKind::other);
  token();
  if (at(Tok::right_brace)) return false;
  return (begins_declaration() ? declaration() : statement()) && make(NodeKind::labeled_statement, from);
}

bool Parser::if_statement() {
  const From from = here();
  token();
  if (at(Tok::qualifier)) {
    if (tokens_.spelling() != "constexpr") return false;
    token();
  }
  if (!condition_clause() || !role(Role::condition) || !statement()) return false;
  role(Role::consequence);
  if (at(Tok::else_word)) {
    const From other = here();
    token();
    if (!statement()) return false;
    make(NodeKind::else_clause, other);
    role(Role::alternative);
  }
  return make(NodeKind::if_statement, from);
}

// (x < 3), (int i = f()), (int i = f(); i > 0)
bool Parser::condition_clause() {
  const InBrackets in_brackets(*this);
  const From from = here();
  if (!take(Tok::left_paren)) return false;
  const From declared = here();
  const auto is_declaration = [&] {
    if (!specifiers() || !declarator(Names::plain)) return false;
    role(Role::declarator);
    if (!at(Tok::assign)) return false;
    token();
    return expression() && role(Role::value) && at(Tok::right_paren) && make(NodeKind::declaration, declared);
  };
  const bool may_declare = begins_declaration() || (at(Tok::word) && (tokens_.peek() == Tok::word || tokens_.peek() == Tok::star));
  if (!(may_declare && attempt(is_declaration)) && !expression_or_comma()) return false;
  return role(Role::value) && take(Tok::right_paren) && make(NodeKind::condition_clause, from);
}

bool Parser::for_statement() {
  if (attempt([&] { return for_range(); })) return true;
  const From from = here();
  token();
  {
    const InBrackets in_brackets(*this);
    if (!take(Tok::left_paren)) return false;
    const auto part = [&](Tok end, Role what) { return at(end) || (expression_or_comma() && role(what)); };
    const bool declares = begins_declaration() || at(Tok::word) || at(Tok::scope);
    if (declares && attempt([&] { return declaration(); })) {
      role(Role::initializer);
    } else if (!part(Tok::semicolon, Role::initializer) || !take(Tok::semicolon)) {
      return false;
    }
    if (!part(Tok::semicolon, Role::condition) || !take(Tok::semicolon)) return false;
    if (!part(Tok::right_paren, Role::update) || !take(Tok::right_paren)) return false;
  }
  return statement() && role(Role::body) && make(NodeKind::for_statement, from);
}

bool Parser::for_range() {
  const From from = here();
  token();
  {
    const InBrackets in_brackets(*this);
    if (!take(Tok::left_paren) || !specifiers() || !declarator(Names::plain) || !role(Role::declarator) || !at(Tok::colon)) return false;
    token();
    if (!initializer() || !role(Role::right) || !take(Tok::right_paren)) return false;
  }
  return statement() && role(Role::body) && make(NodeKind::for_range_loop, from);
}

bool Parser::while_statement() {
  const From from = here();
  token();
  return condition_clause() && role(Role::condition) && statement() && role(Role::body) && make(NodeKind::while_statement, from);
}

bool Parser::do_statement() {
  const From from = here();
  token();
  if (!statement() || !role(Role::body) || !at(Tok::while_word)) return false;
  token();
  const From condition = here();
  const InBrackets in_brackets(*this);
  return take(Tok::left_paren) && expression_or_comma() && take(Tok::right_paren) && make(NodeKind::parenthesized, condition) &&
         role(Role::condition) && take(Tok::semicolon) && make(NodeKind::do_statement, from);
}

bool Parser::switch_statement() {
  const From from = here();
  token();
  return condition_clause() && role(Role::condition) && at(Tok::left_brace) && compound() && role(Role::body) &&
         make(NodeKind::switch_statement, from);
}

bool Parser::case_statement() {
  const From from = here();
  const bool is_default = at(Tok::default_word);
  token();
  if (!is_default && !(expression() && role(Role::value))) return false;
  if (!at(Tok::colon)) return false;
  token();
  while (!at(Tok::case_word) && !at(Tok::default_word) && !at(Tok::right_brace)) {
    if (at(Tok::end) || at(Tok::using_word) || at(Tok::static_assert_word) || !block_item()) return false;
  }
  return make(NodeKind::case_statement, from);
}

bool Parser::return_statement() {
  const From from = here();
  token();
  if (!at(Tok::semicolon) && !(at(Tok::left_brace) ? initializer_list() : expression_or_comma())) return false;
  return take(Tok::semicolon) && make(NodeKind::return_statement, from);
}

bool Parser::keyword_statement(NodeKind kind, bool takes_value) {
  const From from = here();
  token();
  if (takes_value && !at(Tok::semicolon) && !expression()) return false;
  return take(Tok::semicolon) && make(kind, from);
}

bool Parser::try_statement() {
  const From from = here();
  token();
  if (!compound() || !role(Role::body) || !at(Tok::catch_word)) return false;
  while (at(Tok::catch_word)) {
    const From handler = here();
    token();
    if (!parameter_list() || !role(Role::parameters) || !compound() || !role(Role::body)) return false;
    make(NodeKind::other, handler);
  }
  return make(NodeKind::other, from);
}

}  // namespace frx::ingest::cuda
