// Names, with scopes and with template arguments.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

// a, a::b, ::a, a<T>, a<T>::b<3>
bool Parser::name() { return name_parts(false, true); }

bool Parser::name_parts(bool is_type, bool is_first) {
  const Deeper deeper(*this);
  const From from = here();
  if (!deeper) return false;
  if (is_first && at(Tok::scope)) return name_behind_scope(is_type, from);
  if (!is_type && !is_first && at(Tok::tilde)) return destructor_name();
  if (!is_type && !is_first && at(Tok::operator_word)) return operator_name();
  const bool is_word = at(Tok::word) || (!is_first && at(Tok::primitive));  // std::size_t
  if (!is_word) return false;
  leaf(is_type ? NodeKind::type_identifier : NodeKind::identifier);
  const bool has_arguments = at(Tok::less) && attempt([&] {
                               role(Role::name);
                               return template_arguments() && role(Role::arguments) && (is_type || !ends_comparison());
                             });
  if (at(Tok::scope)) {
    out_.relabel(from.mark, has_arguments ? NodeKind::type_identifier : NodeKind::namespace_identifier);
    if (has_arguments) make(NodeKind::template_type, from);
    return role(Role::scope) && name_behind_scope(is_type, from);
  }
  if (has_arguments) return make(is_type ? NodeKind::template_type : NodeKind::template_function, from);
  return role(Role::plain);
}

bool Parser::name_behind_scope(bool is_type, From from) {
  token();
  if (at(Tok::template_word)) return dependent_name(is_type) && role(Role::name) && make(NodeKind::qualified_identifier, from);
  return name_parts(is_type, false) && role(Role::name) && make(NodeKind::qualified_identifier, from);
}

// template b<3>, behind a::
bool Parser::dependent_name(bool is_type) {
  const Deeper deeper(*this);
  const From from = here();
  token();
  const From name = here();
  if (!deeper || !leaf_if(Tok::word, is_type ? NodeKind::type_identifier : NodeKind::identifier)) return false;
  role(Role::name);
  if (!template_arguments()) return false;
  role(Role::arguments);
  const bool is_scope = at(Tok::scope);
  if (is_scope) out_.relabel(name.mark, NodeKind::type_identifier);
  make(is_type || is_scope ? NodeKind::template_type : NodeKind::template_function, name);
  make(NodeKind::other, from);
  return !is_scope || (role(Role::scope) && name_behind_scope(is_type, from));
}

// The tokens that follow `a < b > c`, and never a<b>.
bool Parser::ends_comparison() const {
  switch (tokens_.kind()) {
    case Tok::word:
    case Tok::number:
    case Tok::quote:
    case Tok::tick:
    case Tok::primitive:
    case Tok::tilde:
    case Tok::exclamation:
    case Tok::true_word:
    case Tok::false_word:
    case Tok::this_word:
    case Tok::null_word:
    case Tok::sizeof_word:
    case Tok::assign:
    case Tok::equal: return true;
    default: return false;
  }
}

bool Parser::destructor_name() {
  const From from = here();
  token();
  return leaf_if(Tok::word, NodeKind::identifier) && make(NodeKind::other, from);
}

bool Parser::template_arguments() {
  const From from = here();
  if (!at(Tok::less)) return false;
  token();
  const bool was = std::exchange(angle_closes_, true);
  bool good = true;
  while (good && !is_angle_end()) {
    good = template_argument() && (is_angle_end() || (take(Tok::comma) && !is_angle_end()));
  }
  angle_closes_ = was;
  if (!good) return false;
  tokens_.split_closing_angle();
  return token() && make(NodeKind::template_arguments, from);
}

bool Parser::template_argument() {
  const From from = here();
  const auto ends = [&] { return is_angle_end() || at(Tok::comma); };
  const auto packs = [&] { return at(Tok::ellipsis) && token() && make(NodeKind::other, from) && ends(); };
  if (attempt([&] { return type_descriptor() && (ends() || packs()); })) return true;
  return expression() && (ends() || packs());
}

}  // namespace frx::ingest::cuda
