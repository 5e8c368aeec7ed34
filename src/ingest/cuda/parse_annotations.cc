// Names of macros among the words of a declaration: API void f(); NAMESPACE_BEGIN namespace a {}. The grammar takes them for types, and the
// types for errors. They are tried where a declaration does not parse without them, and leave a token, as __device__ does.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {
namespace {

// In capitals, or reserved for implementations: __kernel.
bool is_macro_name(std::string_view word) {
  if (word.starts_with("__")) return true;
  bool has_letter = false;
  for (const char c : word) {
    if (c >= 'a' && c <= 'z') return false;
    has_letter |= c >= 'A' && c <= 'Z';
  }
  return has_letter && word.size() > 1;
}

// Words that cannot follow the type of a declaration, so that what stands before them is none.
bool begins_anew(Tok kind) {
  switch (kind) {
    case Tok::primitive:
    case Tok::sized:
    case Tok::modifier:
    case Tok::storage:
    case Tok::record:
    case Tok::enum_word:
    case Tok::auto_word:
    case Tok::typename_word:
    case Tok::decltype_word:
    case Tok::alignas_word:
    case Tok::explicit_word:
    case Tok::launch_bounds_word:
    case Tok::attribute:
    case Tok::left_attribute:
    case Tok::friend_word: return true;
    default: return false;
  }
}

bool begins_item(Tok kind) {
  switch (kind) {
    case Tok::namespace_word:
    case Tok::template_word:
    case Tok::using_word:
    case Tok::typedef_word:
    case Tok::static_assert_word:
    case Tok::access:
    case Tok::friend_word:
    case Tok::right_brace:
    case Tok::end: return true;
    default: return false;
  }
}

bool begins_statement(Tok kind) {
  switch (kind) {
    case Tok::if_word:
    case Tok::for_word:
    case Tok::while_word:
    case Tok::do_word:
    case Tok::switch_word:
    case Tok::return_word:
    case Tok::break_word:
    case Tok::continue_word:
    case Tok::case_word:
    case Tok::default_word:
    case Tok::left_brace:
    case Tok::qualifier: return true;
    default: return false;
  }
}

}  // namespace

bool Parser::is_on_new_line() const {
  const std::uint32_t behind = tokens_.behind();
  return tokens_.text().substr(behind, tokens_.now().begin - behind).find('\n') != std::string_view::npos;
}

bool Parser::at_macro_name() const { return has_annotations_ && at(Tok::word) && is_macro_name(tokens_.spelling()); }

// API T f(), where T is the type: a name must follow it.
bool Parser::is_before_type(bool is_next) {
  const Tokens::Mark tokens = tokens_.mark();
  const Postorder::Mark nodes = out_.mark();
  if (is_next) next();
  bool is_type = name_parts(true, true);
  switch (tokens_.kind()) {
    case Tok::word:
    case Tok::primitive:
    case Tok::sized:
    case Tok::qualifier:
    case Tok::modifier:
    case Tok::storage:
    case Tok::star:
    case Tok::ampersand:
    case Tok::and_and:
    case Tok::operator_word: break;
    default: is_type = false;
  }
  tokens_.go_back(tokens);
  out_.cut(nodes);
  return is_type;
}

bool Parser::annotation(bool before_method) {
  if (!at_macro_name()) return false;
  const Tok behind = tokens_.peek();
  if (behind == Tok::left_paren) return attempt([&] { return annotation_with_arguments(); });
  const bool is_name = behind == Tok::word || behind == Tok::scope;
  const bool is_method = behind == Tok::word || behind == Tok::tilde || behind == Tok::operator_word;
  const bool is_one = begins_anew(behind) || behind == Tok::qualifier || (before_method && is_method) || (is_name && is_before_type());
  return is_one && token();
}

// ALIGNED(16) float x; BOUNDS(256) __global__ void f()
bool Parser::annotation_with_arguments() {
  const From from = here();
  leaf(NodeKind::identifier);
  if (!argument_list()) return false;
  const bool is_before_name = (at(Tok::word) || at(Tok::scope)) && is_before_type(false);
  return (is_before_name || begins_anew(tokens_.kind()) || at(Tok::qualifier)) && make(NodeKind::other, from);
}

// T API f(), T API* p: the type is known already.
bool Parser::annotation_behind_type() {
  if (!at_macro_name()) return false;
  const Tok behind = tokens_.peek();
  const bool is_one =
      behind == Tok::word || behind == Tok::scope || behind == Tok::star || behind == Tok::ampersand || behind == Tok::operator_word;
  return (is_one || begins_anew(behind)) && token();
}

bool Parser::annotated_item(Within within) {
  if (at_macro_name()) {
    const Tok behind = tokens_.peek();
    if (begins_item(behind)) return token();
    if (behind == Tok::left_paren && attempt([&] { return macro_call(); })) return true;
  }
  return item_of(within);
}

bool Parser::begins_annotated_declaration() const {
  return at_macro_name() && (begins_anew(tokens_.peek()) || tokens_.peek() == Tok::qualifier);
}

// BEGIN if (x) {}; CHECK(x) without a semicolon; FOR_EACH(x) { ... }
bool Parser::macro_statement() {
  if (!at_macro_name()) return tokens_.peek() == Tok::left_paren && macro_call();
  const Tok behind = tokens_.peek();
  if (begins_statement(behind) || begins_item(behind)) return token();
  return behind == Tok::left_paren && macro_call();
}

// DECLARE(x) without a semicolon; TEST("name") { ... }
bool Parser::macro_call() {
  const From from = here();
  leaf(NodeKind::identifier);
  if (!call(from)) return false;
  const bool is_before_body = at(Tok::left_brace);
  const bool is_before_name = at(Tok::word) && is_on_new_line();
  if (!is_before_body && !is_before_name && !begins_item(tokens_.kind()) && !begins_anew(tokens_.kind()) &&
      !(is_in_body_ && begins_statement(tokens_.kind()))) {
    return false;
  }
  make(NodeKind::expression_statement, from);
  return !is_before_body || compound();
}

}  // namespace frx::ingest::cuda
