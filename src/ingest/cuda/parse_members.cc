// Members of a structure.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::field_declaration_list() {
  const Deeper deeper(*this);
  const InBrackets in_brackets(*this);
  const From from = here();
  if (!deeper || !take(Tok::left_brace)) return false;
  while (!at(Tok::right_brace)) {
    if (at(Tok::end) || !item(Within::record)) return false;
  }
  next();
  return make(NodeKind::field_declaration_list, from);
}

bool Parser::member() {
  switch (tokens_.kind()) {
    case Tok::semicolon: return take(Tok::semicolon);
    case Tok::access: {
      around_token(NodeKind::other);
      return at(Tok::colon) && token();
    }
    case Tok::typedef_word: return type_definition();
    case Tok::using_word: return alias_or_using();
    case Tok::static_assert_word: return static_assertion();
    case Tok::template_word: return template_declaration();
    case Tok::friend_word: return friend_declaration();
    default: break;
  }
  if (attempt([&] { return constructor(true); })) return true;
  return field_declaration();
}

// int a : 3, *p = nullptr; a method, with a body or without.
bool Parser::field_declaration() {
  const From from = here();
  if (!specifiers()) return false;
  bool is_first = true;
  while (!at(Tok::semicolon)) {
    if (!declarator(Names::fields)) return false;
    const bool is_function = is_first && out_.has(NodeKind::function_declarator, from.mark);
    role(Role::declarator);
    if (is_function && at(Tok::left_brace)) return compound() && role(Role::body) && make(NodeKind::function_definition, from);
    const bool is_defaulted = at(Tok::assign) && (tokens_.peek() == Tok::default_word || tokens_.peek() == Tok::delete_word);
    if (is_function && is_defaulted) return method_end() && make(NodeKind::function_definition, from);
    is_first = false;
    if (at(Tok::colon)) {
      const From bits = here();
      token();
      if (!expression()) return false;
      make(NodeKind::other, bits);
    } else if (at(Tok::assign)) {
      token();
      if (!initializer()) return false;
      role(Role::default_value);
    } else if (at(Tok::left_brace)) {
      if (!initializer_list()) return false;
      role(Role::default_value);
    }
    if (!at(Tok::semicolon) && !take(Tok::comma)) return false;
  }
  next();
  return make(NodeKind::field_declaration, from);
}

// friend class X; friend void f();
bool Parser::friend_declaration() {
  const From from = here();
  token();
  if (at(Tok::record)) {
    const bool is_class = attempt([&] { return token() && name_parts(true, true) && take(Tok::semicolon); });
    if (is_class) return make(NodeKind::other, from);
  }
  return declaration_or_function(true) && make(NodeKind::other, from);
}

}  // namespace frx::ingest::cuda
