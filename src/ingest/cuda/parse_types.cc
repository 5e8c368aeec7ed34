// Types and their context: specifiers, structures, enumerations, and types without a name.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

// const static __device__ T
bool Parser::specifiers() {
  while (modifier() || annotation()) {
  }
  if (!type()) return false;
  role(Role::type);
  while (modifier() || annotation_behind_type()) {
  }
  return true;
}

bool Parser::modifier() {
  switch (tokens_.kind()) {
    case Tok::modifier: return token();
    case Tok::qualifier: return around_token(NodeKind::type_qualifier);
    case Tok::storage: return around_token(NodeKind::storage_class);
    case Tok::attribute: return attribute();
    case Tok::left_attribute: return attribute_declaration();
    case Tok::launch_bounds_word: return launch_bounds();
    case Tok::alignas_word: {
      const From from = here();
      return alignment() && make(NodeKind::type_qualifier, from);
    }
    default: return false;
  }
}

bool Parser::attribute() {
  const From from = here();
  token();
  return take(Tok::left_paren) && argument_list() && take(Tok::right_paren) && make(NodeKind::other, from);
}

// [[maybe_unused]], [[gnu::aligned(4)]]
bool Parser::attribute_declaration() {
  const From from = here();
  next();
  do {
    const From one = here();
    if (!at(Tok::word) && !at(Tok::rare)) return false;
    leaf(NodeKind::identifier);
    if (at(Tok::scope)) {
      token();
      if (!leaf_if(Tok::word, NodeKind::identifier)) return false;
    }
    role(Role::name);
    if (at(Tok::left_paren) && !argument_list()) return false;
    make(NodeKind::other, one);
  } while (take(Tok::comma));
  return take(Tok::right_square) && take(Tok::right_square) && make(NodeKind::other, from);
}

bool Parser::alignment() {
  const From from = here();
  token();
  const InBrackets in_brackets(*this);
  return take(Tok::left_paren) && at(Tok::number) && expression() && take(Tok::right_paren) && make(NodeKind::other, from);
}

bool Parser::launch_bounds() {
  const From from = here();
  token();
  const InBrackets in_brackets(*this);
  if (!take(Tok::left_paren) || !expression()) return false;
  if (take(Tok::comma) && !expression()) return false;
  return take(Tok::right_paren) && make(NodeKind::launch_bounds, from);
}

bool Parser::type() {
  const Deeper deeper(*this);
  if (!deeper) return false;
  const From from = here();
  switch (tokens_.kind()) {
    case Tok::primitive: return leaf(NodeKind::primitive_type) && !at(Tok::sized);
    case Tok::sized: return sized_type();
    case Tok::record: return record();
    case Tok::enum_word: return enumeration();
    case Tok::auto_word: return leaf(NodeKind::other) && make(NodeKind::placeholder_type, from);
    case Tok::typename_word: return token() && type() && make(NodeKind::other, from);
    case Tok::decltype_word: {
      const InBrackets in_brackets(*this);
      token();
      return take(Tok::left_paren) && !at(Tok::auto_word) && expression() && take(Tok::right_paren) && !at(Tok::scope) &&
             make(NodeKind::other, from);
    }
    case Tok::word:
    case Tok::scope: return name_parts(true, true) && !at(Tok::auto_word);
    default: return false;
  }
}

// unsigned long int
bool Parser::sized_type() {
  const From from = here();
  while (at(Tok::sized)) token();
  const bool is_new_name = tokens_.spelling().ends_with("_t") && tokens_.peek() == Tok::semicolon;  // typedef unsigned int uint32_t;
  if (at(Tok::primitive) && !is_new_name) {
    leaf(NodeKind::primitive_type);
    role(Role::type);
    while (at(Tok::sized)) token();
  }
  return make(NodeKind::sized_type, from);
}

bool Parser::record() {
  const From from = here();
  const std::string_view word = tokens_.spelling();
  const NodeKind kind = word == "struct"  ? NodeKind::struct_specifier
                        : word == "class" ? NodeKind::class_specifier
                                          : NodeKind::union_specifier;
  token();
  while (at(Tok::attribute) || at(Tok::alignas_word)) {
    if (!(at(Tok::attribute) ? attribute() : alignment())) return false;
  }
  if (at_macro_name() && tokens_.peek() == Tok::word) token();
  if (at_macro_name() && tokens_.peek() == Tok::left_paren) {
    const From macro = here();
    leaf(NodeKind::identifier);
    if (!argument_list() || !make(NodeKind::other, macro)) return false;
  }
  bool has_name = false;
  if (at(Tok::word) || at(Tok::scope)) {
    if (!name_parts(true, true)) return false;
    role(Role::name);
    has_name = true;
  }
  if (at(Tok::virtual_end)) around_token(NodeKind::other);
  if (at(Tok::colon) && !base_clause()) return false;
  if (at(Tok::left_brace)) {
    if (!field_declaration_list()) return false;
    role(Role::body);
  } else if (!has_name) {
    return false;
  }
  if (at(Tok::attribute) && !attribute()) return false;
  return make(kind, from);
}

bool Parser::base_clause() {
  const From from = here();
  token();
  do {
    if (at(Tok::access)) around_token(NodeKind::other);
    if (at(Tok::modifier)) return false;
    if (!name_parts(true, true)) return false;
    if (at(Tok::ellipsis)) token();
  } while (take(Tok::comma));
  return at(Tok::left_brace) && make(NodeKind::other, from);
}

bool Parser::enumeration() {
  const From from = here();
  token();
  if (at(Tok::record)) token();
  bool has_name = false;
  if (at(Tok::word)) {
    if (!name_parts(true, true)) return false;
    role(Role::name);
    has_name = true;
  }
  if (at(Tok::colon)) {
    if (!has_name) return false;
    token();
    if (!at(Tok::primitive) && !at(Tok::sized) && !at(Tok::word)) return false;
    if (!type()) return false;
  }
  if (at(Tok::left_brace)) {
    if (!enumerator_list()) return false;
    role(Role::body);
  } else if (!has_name) {
    return false;
  }
  return !at(Tok::attribute) && make(NodeKind::other, from);
}

bool Parser::enumerator_list() {
  const InBrackets in_brackets(*this);
  const From from = here();
  next();
  while (!at(Tok::right_brace)) {
    const From one = here();
    if (!leaf_if(Tok::word, NodeKind::identifier)) return false;
    role(Role::name);
    if (at(Tok::assign)) {
      token();
      if (!expression()) return false;
      role(Role::value);
    }
    make(NodeKind::enumerator, one);
    if (!at(Tok::right_brace) && !take(Tok::comma)) return false;
  }
  next();
  return make(NodeKind::enumerator_list, from);
}

bool Parser::type_descriptor() {
  const Deeper deeper(*this);
  if (!deeper) return false;
  const From from = here();
  while (at(Tok::qualifier)) around_token(NodeKind::type_qualifier);
  if (!type()) return false;
  role(Role::type);
  while (at(Tok::qualifier)) around_token(NodeKind::type_qualifier);
  if (attempt([&] { return abstract_declarator(); })) role(Role::declarator);
  return make(NodeKind::type_descriptor, from);
}

// *, &, (*)[3], (int)
bool Parser::abstract_declarator() {
  const Deeper deeper(*this);
  if (!deeper) return false;
  const From from = here();
  if (at(Tok::star)) {
    token();
    while (at(Tok::qualifier)) around_token(NodeKind::type_qualifier);
    if (at(Tok::restrict_word)) return false;
    if (attempt([&] { return abstract_declarator(); })) role(Role::declarator);
    return make(NodeKind::abstract_pointer_declarator, from);
  }
  if (at(Tok::ampersand) || at(Tok::and_and)) {
    token();
    attempt([&] { return abstract_declarator(); });
    return make(NodeKind::other, from);
  }
  bool has_inner = false;
  if (at(Tok::left_paren) && (tokens_.peek() == Tok::star || tokens_.peek() == Tok::ampersand || tokens_.peek() == Tok::and_and)) {
    next();
    if (!abstract_declarator() || !take(Tok::right_paren)) return false;
    make(NodeKind::other, from);
    has_inner = true;
  }
  return abstract_suffixes(from, has_inner);
}

bool Parser::abstract_suffixes(From from, bool has_inner) {
  bool any = has_inner;
  while (at(Tok::left_square) || at(Tok::left_paren)) {
    if (any) role(Role::declarator);
    if (at(Tok::left_square)) {
      if (!array_suffix(from, NodeKind::abstract_array_declarator)) return false;
    } else {
      if (!parameter_list() || !role(Role::parameters) || !function_end()) return false;
      make(NodeKind::other, from);
    }
    any = true;
  }
  return any;
}

}  // namespace frx::ingest::cuda
