// Declarations: variables, functions, namespaces, templates.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

// Decides by the first word; a name alone does not decide.
bool Parser::begins_declaration() const {
  switch (tokens_.kind()) {
    case Tok::sized:
    case Tok::qualifier:
    case Tok::modifier:
    case Tok::storage:
    case Tok::record:
    case Tok::enum_word:
    case Tok::auto_word:
    case Tok::typename_word:
    case Tok::decltype_word:
    case Tok::alignas_word: return true;
    case Tok::primitive: return tokens_.peek() != Tok::left_paren && tokens_.peek() != Tok::left_brace;
    default: return false;
  }
}

bool Parser::top_level_item() {
  switch (tokens_.kind()) {
    case Tok::typedef_word: return type_definition();
    case Tok::using_word: return alias_or_using();
    case Tok::static_assert_word: return static_assertion();
    case Tok::namespace_word: return namespace_definition();
    case Tok::template_word: return template_declaration();
    case Tok::semicolon: return expression_statement();
    case Tok::storage:
      if (tokens_.spelling() == "inline" && tokens_.peek() == Tok::namespace_word) return namespace_definition();
      if (tokens_.spelling() == "extern" && tokens_.peek() == Tok::quote) return linkage();
      break;
    case Tok::word:
      if (tokens_.peek() == Tok::left_paren) {
        if (attempt([&] { return constructor(false); })) return true;
        return expression_statement();
      }
      break;
    default: break;
  }
  if (attempt([&] { return declaration_or_function(true); })) return true;
  return constructor(false);
}

bool Parser::declaration() { return declaration_or_function(false); }

// `struct S {...};` is only its type.
bool Parser::declaration_or_function(bool may_be_function) {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper || !specifiers()) return false;
  if (at(Tok::semicolon)) {
    const NodeKind kind = out_.newest();
    const bool is_type = kind == NodeKind::struct_specifier || kind == NodeKind::class_specifier || kind == NodeKind::union_specifier ||
                         kind == NodeKind::other;
    if (!is_type || !role(Role::plain)) return false;
    next();
    return true;
  }
  if (at(Tok::left_paren) && tokens_.peek() != Tok::star) return false;
  if (may_be_function && attempt([&] { return declarator(Names::plain) && role(Role::declarator) && function_body(from); })) return true;
  do {
    if (!init_declarator()) return false;
  } while (take(Tok::comma));
  return take(Tok::semicolon) && make(NodeKind::declaration, from);
}

bool Parser::function_body(From from) {
  if (!at(Tok::left_brace) || out_.newest() == NodeKind::identifier) return false;
  return compound() && role(Role::body) && make(NodeKind::function_definition, from);
}

// Also accepts macros that look like one: TEST(a, b) { ... }
bool Parser::constructor(bool in_class) {
  const From from = here();
  while (at(Tok::explicit_word) || modifier() || annotation(in_class)) {
    if (at(Tok::explicit_word) && (tokens_.peek() == Tok::left_paren || !around_token(NodeKind::other))) return false;
  }
  const From name = here();
  if (at(Tok::operator_word)) return conversion(from);
  if (!(at(Tok::tilde) ? destructor_name() : declared_name(Names::plain))) return false;
  if (!at(Tok::left_paren) || !function_suffix(name)) return false;
  role(Role::declarator);
  if (at(Tok::assign)) return method_end() && make(NodeKind::function_definition, from);
  if (at(Tok::semicolon)) return in_class && take(Tok::semicolon) && make(NodeKind::declaration, from);
  if (at(Tok::colon) && !field_initializers()) return false;
  return at(Tok::left_brace) && compound() && role(Role::body) && make(NodeKind::function_definition, from);
}

// operator float() const { ... }
bool Parser::conversion(From from) {
  const From cast = here();
  token();
  if (!specifiers() || !abstract_declarator() || !role(Role::declarator) || !make(NodeKind::other, cast)) return false;
  role(Role::declarator);
  if (take(Tok::semicolon)) return make(NodeKind::declaration, from);
  return at(Tok::left_brace) && compound() && role(Role::body) && make(NodeKind::function_definition, from);
}

bool Parser::field_initializers() {
  const From from = here();
  token();
  do {
    const From one = here();
    const Postorder::Mark name = out_.mark();
    if (tokens_.peek() == Tok::scope || !leaf_if(Tok::word, NodeKind::field_identifier)) return false;
    if (at(Tok::less)) {
      role(Role::name);
      if (!template_arguments() || !role(Role::arguments) || !make(NodeKind::template_method, {name, one.begin})) return false;
    }
    if (!at(Tok::left_paren) && !at(Tok::left_brace)) return false;
    if (!(at(Tok::left_paren) ? argument_list() : initializer_list())) return false;
    if (at(Tok::ellipsis)) token();
    make(NodeKind::other, one);
  } while (take(Tok::comma));
  return make(NodeKind::other, from);
}

// = default; = delete;
bool Parser::method_end() {
  const From from = here();
  token();
  if (!at(Tok::default_word) && !at(Tok::delete_word)) return false;
  token();
  return take(Tok::semicolon) && make(NodeKind::other, from);
}

bool Parser::type_definition() {
  const From from = here();
  token();
  while (at(Tok::qualifier)) around_token(NodeKind::type_qualifier);
  if (!type()) return false;
  role(Role::type);
  while (at(Tok::qualifier)) around_token(NodeKind::type_qualifier);
  do {
    if (!declarator(Names::types)) return false;
    role(Role::declarator);
  } while (take(Tok::comma));
  return take(Tok::semicolon) && make(NodeKind::type_definition, from);
}

bool Parser::alias_or_using() {
  const From from = here();
  token();
  if (at(Tok::word) && tokens_.peek() == Tok::assign) {
    leaf(NodeKind::type_identifier);
    role(Role::name);
    token();
    return type_descriptor() && role(Role::type) && take(Tok::semicolon) && make(NodeKind::alias_declaration, from);
  }
  if (at(Tok::namespace_word)) token();
  return name() && take(Tok::semicolon) && make(NodeKind::other, from);
}

bool Parser::static_assertion() {
  const From from = here();
  const InBrackets in_brackets(*this);
  token();
  if (!take(Tok::left_paren) || !expression()) return false;
  role(Role::condition);
  if (take(Tok::comma) && !strings()) return false;
  return take(Tok::right_paren) && take(Tok::semicolon) && make(NodeKind::other, from);
}

}  // namespace frx::ingest::cuda
