// Declarations one by one: of the file, of a namespace, of a structure. What the parser declines goes to the grammar, up to the end that
// its brackets give it.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::item_of(Within within) { return within == Within::record ? member() : top_level_item(); }

// Within the body of a function the parser may be trying something out; there the body is declined as a whole.
bool Parser::item(Within within) {
  const Item one(*this);
  if (is_in_body_) return item_of(within);
  if (attempt([&] { return item_of(within); })) return true;
  if (!has_annotations_) {
    has_annotations_ = true;
    const bool is_good = attempt([&] { return annotated_item(within); });
    has_annotations_ = false;
    if (is_good) return true;
  }
  return grammar_ && attempt([&] { return by_grammar(within); });
}

bool Parser::by_grammar(Within within) {
  const From from = here();
  if (tokens_.work() > most_work_ || !skip_item(within)) return false;
  out_.cut(from.mark);  // strings leave nodes
  return grammar_->read_part(from.begin, tokens_.behind(), within, out_, errors_);
}

// A string is one token here.
bool Parser::skip_token() {
  switch (tokens_.kind()) {
    case Tok::quote:
    case Tok::raw: return string();
    case Tok::tick: return character();
    default: next(); return true;
  }
}

// a[] = {1}, b; struct {} *p; S() : x{1} {} -- and not the next declaration.
bool Parser::goes_on_behind_body(bool may_declare) const {
  switch (tokens_.kind()) {
    case Tok::word:
    case Tok::qualifier:
    case Tok::attribute: return may_declare;
    case Tok::end:
    case Tok::right_brace:
    case Tok::tilde: return false;
    case Tok::catch_word: return true;
    default: return tokens_.kind() >= Tok::ellipsis && tokens_.kind() != Tok::scope && tokens_.kind() != Tok::left_attribute;
  }
}

bool Parser::skip_item(Within within) {
  std::uint32_t open = 0, parts = 0;
  bool is_type = false, has_parameters = false;
  for (; !at(Tok::end); ++parts) {
    const Tok kind = tokens_.kind();
    if (open == 0 && kind == Tok::right_brace && within != Within::file) return parts > 0;
    if (open == 0 && (kind == Tok::record || kind == Tok::enum_word || kind == Tok::typedef_word)) is_type = true;
    if (open == 0 && kind == Tok::left_paren) has_parameters = true;
    if (kind == Tok::left_brace || kind == Tok::left_paren || kind == Tok::left_square) ++open;
    if (kind == Tok::left_attribute) open += 2;
    const bool closes = kind == Tok::right_brace || kind == Tok::right_paren || kind == Tok::right_square;
    if (closes && open > 0) --open;
    if (!skip_token()) return false;
    if (open > 0) continue;
    if (kind == Tok::semicolon) return true;
    if (kind == Tok::right_brace && !goes_on_behind_body(is_type && !has_parameters)) return true;
  }
  return open == 0 && within == Within::file;
}

}  // namespace frx::ingest::cuda
