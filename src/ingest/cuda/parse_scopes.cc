// Namespaces, extern "C", and templates: the scopes around declarations.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::namespace_definition() {
  const From from = here();
  if (at(Tok::storage)) token();
  token();
  if (at(Tok::word)) {
    namespace_name();
    role(Role::name);
    if (at(Tok::assign)) return token() && at(Tok::word) && namespace_name() && take(Tok::semicolon) && make(NodeKind::other, from);
  }
  return at(Tok::left_brace) && declaration_list() && role(Role::body) && make(NodeKind::other, from);
}

// a::b::c
bool Parser::namespace_name() {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper || !leaf_if(Tok::word, NodeKind::namespace_identifier)) return false;
  if (!at(Tok::scope)) return true;
  token();
  return namespace_name() && make(NodeKind::other, from);
}

bool Parser::declaration_list() {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper || !take(Tok::left_brace)) return false;
  while (!at(Tok::right_brace)) {
    if (at(Tok::end) || !item(Within::scope)) return false;
  }
  next();
  return make(NodeKind::other, from);
}

bool Parser::linkage() {
  const From from = here();
  token();
  if (!string()) return false;
  role(Role::value);
  if (!(at(Tok::left_brace) ? declaration_list() : declaration_or_function(true))) return false;
  return role(Role::body) && make(NodeKind::other, from);
}

bool Parser::template_declaration() {
  const Deeper deeper(*this);
  const From from = here();
  token();
  if (!deeper) return false;
  if (!at(Tok::less)) {  // an instantiation
    if (!specifiers() || !declarator(Names::plain)) return false;
    return role(Role::declarator) && take(Tok::semicolon) && make(NodeKind::other, from);
  }
  if (!template_parameters()) return false;
  role(Role::parameters);
  const auto item = [&] {
    switch (tokens_.kind()) {
      case Tok::template_word: return template_declaration();
      case Tok::using_word: return alias_or_using();
      case Tok::friend_word: return friend_declaration();
      default: break;
    }
    return attempt([&] { return declaration_or_function(true); }) || constructor(true);
  };
  return item() && make(NodeKind::template_declaration, from);
}

bool Parser::template_parameters() {
  const From from = here();
  token();
  const bool was = std::exchange(angle_closes_, true);
  bool good = true;
  while (good && !is_angle_end()) good = template_parameter() && (is_angle_end() || (take(Tok::comma) && !is_angle_end()));
  angle_closes_ = was;
  if (!good) return false;
  tokens_.split_closing_angle();
  return token() && make(NodeKind::template_parameters, from);
}

// typename T, class... Ts, typename T = int, int n = 3
bool Parser::template_parameter() {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper) return false;
  const bool is_type = at(Tok::typename_word) || (at(Tok::record) && tokens_.spelling() == "class");
  if (at(Tok::template_word)) {
    token();
    return at(Tok::less) && template_parameters() && role(Role::parameters) && template_parameter() && make(NodeKind::other, from);
  }
  // typename T::type = 0
  const auto is_scope = [&] {
    token();
    return at(Tok::scope) || (at(Tok::word) && (tokens_.peek() == Tok::scope || tokens_.peek() == Tok::less));
  };
  const Tokens::Mark begin = tokens_.mark();
  const bool is_value = !is_type || is_scope();
  tokens_.go_back(begin);
  out_.cut(from.mark);
  if (is_value) return parameter();
  token();
  const bool is_pack = at(Tok::ellipsis) && token();
  const bool has_name = leaf_if(Tok::word, NodeKind::type_identifier);
  if (is_pack) return (is_angle_end() || at(Tok::comma)) && make(NodeKind::other, from);
  if (!at(Tok::assign)) return (is_angle_end() || at(Tok::comma)) && make(NodeKind::type_parameter, from);
  if (has_name) role(Role::name);
  token();
  return type() && make(NodeKind::other, from);
}

}  // namespace frx::ingest::cuda
