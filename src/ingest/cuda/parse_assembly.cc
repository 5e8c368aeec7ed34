// asm volatile("ld %0, [%1];" : "=r"(x) : "l"(p) : "memory")
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

bool Parser::assembly_operand() {
  const From from = here();
  if (take(Tok::left_square) && !(leaf_if(Tok::word, NodeKind::identifier) && take(Tok::right_square))) return false;
  const InBrackets in_brackets(*this);
  return at(Tok::quote) && string() && take(Tok::left_paren) && expression() && role(Role::value) && take(Tok::right_paren) &&
         make(NodeKind::other, from);
}

bool Parser::assembly_operands() {
  const From from = here();
  token();
  if (at(Tok::colon) || at(Tok::scope) || at(Tok::right_paren)) return make(NodeKind::other, from);
  do {
    if (!assembly_operand()) return false;
  } while (take(Tok::comma));
  return make(NodeKind::other, from);
}

bool Parser::assembly() {
  const From from = here();
  token();
  while (at(Tok::qualifier) || (at(Tok::word) && tokens_.spelling() == "__volatile__")) around_token(NodeKind::other);
  if (!take(Tok::left_paren) || !(at(Tok::quote) || at(Tok::raw)) || !strings()) return false;
  const auto list = [&] {
    if (at(Tok::scope)) tokens_.split_scope();
    return at(Tok::colon);
  };
  for (int lists = 0; lists < 2 && list(); ++lists) {
    if (!assembly_operands()) return false;
  }
  if (list()) {
    const From clobbers = here();
    token();
    while (at(Tok::quote)) {
      if (!strings() || !(at(Tok::right_paren) || take(Tok::comma))) return false;
    }
    make(NodeKind::other, clobbers);
  }
  return take(Tok::right_paren) && make(NodeKind::assembly, from);
}

}  // namespace frx::ingest::cuda
