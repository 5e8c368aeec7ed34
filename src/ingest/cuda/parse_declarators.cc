// Declarators: the types that a declaration gives a name, from the name outwards, and parameters.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::declarator(Names names) {
  const Deeper deeper(*this);
  if (!deeper) return false;
  const From from = here();
  if (at(Tok::star)) {
    token();
    while (at(Tok::restrict_word)) {
      const From modifier = here();
      leaf(NodeKind::other);
      make(NodeKind::other, modifier);
    }
    while (at(Tok::qualifier)) around_token(NodeKind::type_qualifier);
    return declarator(names) && role(Role::declarator) && make(NodeKind::pointer_declarator, from);
  }
  if (at(Tok::ampersand) || at(Tok::and_and)) {
    token();
    return declarator(names) && make(NodeKind::reference_declarator, from);
  }
  return declared_name(names) && declarator_suffixes(names, from);
}

bool Parser::declared_name(Names names) {
  const From from = here();
  if (at(Tok::left_paren)) {
    const Tok behind = tokens_.peek();
    if (behind != Tok::star && behind != Tok::ampersand) return false;
    next();
    return declarator(names) && take(Tok::right_paren) && make(NodeKind::parenthesized_declarator, from);
  }
  if (at(Tok::operator_word)) return operator_name();
  if (names == Names::types) return at(Tok::primitive) ? leaf(NodeKind::primitive_type) : leaf_if(Tok::word, NodeKind::type_identifier);
  if (at(Tok::virtual_end)) return leaf(names == Names::fields ? NodeKind::field_identifier : NodeKind::identifier);
  if (names == Names::fields) return tokens_.peek() != Tok::less && leaf_if(Tok::word, NodeKind::field_identifier);
  if (at(Tok::left_square)) {
    next();
    do {
      if (!leaf_if(Tok::word, NodeKind::identifier)) return false;
    } while (take(Tok::comma));
    return take(Tok::right_square) && make(NodeKind::structured_binding, from);
  }
  return (at(Tok::word) || at(Tok::scope)) && name();
}

// Letters and signs after `operator`; conversion operators are handled elsewhere.
bool Parser::operator_name() {
  const From from = here();
  token();
  const Tok kind = tokens_.kind();
  if (kind == Tok::left_paren || kind == Tok::left_square) {
    next();
    if (!take(kind == Tok::left_paren ? Tok::right_paren : Tok::right_square)) return false;
  } else if (kind >= Tok::ellipsis && kind != Tok::scope && kind != Tok::left_brace && kind != Tok::semicolon && kind != Tok::comma) {
    token();
  } else {
    return false;
  }
  return make(NodeKind::other, from);
}

bool Parser::declarator_suffixes(Names names, From from) {
  while (true) {
    if (at(Tok::left_square)) {
      role(Role::declarator);
      if (!array_suffix(from, NodeKind::array_declarator)) return false;
    } else if (at(Tok::left_paren)) {
      const bool is_function = attempt([&] { return function_suffix(from); });
      if (!is_function) return names == Names::plain;  // arguments, perhaps
    } else {
      return true;
    }
  }
}

bool Parser::array_suffix(From from, NodeKind kind) {
  const InBrackets in_brackets(*this);
  next();
  if (!at(Tok::right_square)) {
    if (at(Tok::qualifier) || at(Tok::storage) || !expression()) return false;
    role(Role::size);
  }
  return take(Tok::right_square) && make(kind, from);
}

bool Parser::function_suffix(From from) {
  role(Role::declarator);
  return parameter_list() && role(Role::parameters) && function_end() && is_behind_function() && make(NodeKind::function_declarator, from);
}

bool Parser::is_behind_function() const {
  switch (tokens_.kind()) {
    case Tok::semicolon:
    case Tok::comma:
    case Tok::left_brace:
    case Tok::colon:
    case Tok::assign:
    case Tok::right_paren:
    case Tok::greater:
    case Tok::left_paren:
    case Tok::try_word: return true;
    default: return false;
  }
}

// const & noexcept __attribute__((a)) -> T override
bool Parser::function_end() {
  while (at(Tok::qualifier)) around_token(NodeKind::type_qualifier);
  if (at(Tok::ampersand) || at(Tok::and_and)) around_token(NodeKind::other);
  if (at(Tok::throw_word)) {
    const From from = here();
    token();
    if (!take(Tok::left_paren) || !take(Tok::right_paren)) return false;
    make(NodeKind::other, from);
  }
  if (at(Tok::noexcept_word)) {
    const From from = here();
    const InBrackets in_brackets(*this);
    token();
    if (take(Tok::left_paren) && !(expression() && take(Tok::right_paren))) return false;
    make(NodeKind::other, from);
  }
  while (at(Tok::attribute)) {
    if (!attribute()) return false;
  }
  if (at(Tok::arrow)) {
    const From from = here();
    token();
    if (!type_descriptor() || !make(NodeKind::other, from)) return false;
  }
  while (at(Tok::virtual_end)) around_token(NodeKind::other);
  return true;
}

bool Parser::parameter_list() {
  const Deeper deeper(*this);
  const InBrackets in_brackets(*this);
  const From from = here();
  if (!deeper || !take(Tok::left_paren)) return false;
  // Where expressions cannot occur the grammar takes keywords for values as names of types: v(n, false).
  const auto is_odd = [&] {
    const bool is_value = at(Tok::true_word) || at(Tok::false_word) || at(Tok::null_word) || at(Tok::this_word);
    return is_value && (tokens_.peek() == Tok::comma || tokens_.peek() == Tok::right_paren);
  };
  const auto odd = [&] {
    const From one = here();
    return leaf(NodeKind::type_identifier) && role(Role::type) && make(NodeKind::parameter, one);
  };
  for (bool is_first = true; !at(Tok::right_paren); is_first = false) {
    if (!(at(Tok::ellipsis) ? token() : !is_first && is_odd() ? odd() : parameter())) return false;
    if (!at(Tok::right_paren) && (!take(Tok::comma) || at(Tok::right_paren))) return false;
  }
  next();
  return make(NodeKind::parameter_list, from);
}

// ... rest, &&... rest
bool Parser::pack() {
  const From from = here();
  if (at(Tok::ellipsis)) {
    token();
    leaf_if(Tok::word, NodeKind::identifier);
    make(NodeKind::other, from);
  } else {
    token();
    if (!pack() || !role(Role::plain) || !make(NodeKind::reference_declarator, from)) return false;
  }
  return role(Role::declarator);
}

bool Parser::parameter() {
  const From from = here();
  if (!specifiers()) return false;
  const bool is_reference = (at(Tok::and_and) || at(Tok::ampersand)) && tokens_.peek() == Tok::ellipsis;
  if (at(Tok::ellipsis) || is_reference) return pack() && make(NodeKind::other, from);
  const auto ends = [&] { return at(Tok::comma) || at(Tok::right_paren) || at(Tok::assign) || at(Tok::attribute) || is_angle_end(); };
  if (!ends()) {
    // Parses it with a name, otherwise without one.
    if (attempt([&] { return declarator(Names::plain) && ends(); }) || attempt([&] { return abstract_declarator() && ends(); })) {
      role(Role::declarator);
    } else {
      return false;
    }
  }
  while (at(Tok::attribute)) {
    if (!attribute()) return false;
  }
  if (!at(Tok::assign)) return make(NodeKind::parameter, from);
  token();
  return initializer() && role(Role::default_value) && make(NodeKind::optional_parameter, from);
}

// a, *a = 1, a(1, 2), a{1}
bool Parser::init_declarator() {
  const From from = here();
  if (!declarator(Names::plain)) return false;
  if (at(Tok::assembly)) return false;
  if (!at(Tok::assign) && !at(Tok::left_paren) && !at(Tok::left_brace)) return role(Role::declarator);
  role(Role::declarator);
  if (at(Tok::assign)) {
    token();
    if (!initializer()) return false;
  } else if (!(at(Tok::left_paren) ? argument_list() : initializer_list())) {
    return false;
  }
  return role(Role::value) && make(NodeKind::init_declarator, from) && role(Role::declarator);
}

}  // namespace frx::ingest::cuda
