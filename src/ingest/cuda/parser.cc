#include "ingest/cuda/parser.h"

#include <algorithm>

#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {

Parser::Parser(std::string_view text, Grammar* grammar) : tokens_(text), grammar_(grammar), most_work_(1'000'000 + text.size() * 64) {}

bool Parser::read(std::uint32_t offset, model::cuda::Syntax& into) {
  const std::uint32_t root = into.size();
  const std::string_view text = tokens_.text();
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n\f\v"), text.size());
  model::cuda::Node whole;
  whole.begin = static_cast<std::uint32_t>(begin) + offset;
  whole.end = static_cast<std::uint32_t>(text.size()) + offset;
  into.nodes.push_back(whole);
  while (!at(Tok::end)) {
    if (!item(Within::file)) {
      into.nodes.resize(root);
      return false;
    }
    out_.move_to(into, root, offset);
  }
  into.nodes[root].last = into.size();
  return true;
}

bool Parser::take(Tok kind) {
  if (!at(kind)) return false;
  next();
  return true;
}

bool Parser::leaf(NodeKind kind) {
  out_.leaf(kind, tokens_.now().begin, tokens_.now().end);
  next();
  return true;
}

bool Parser::token() { return leaf(NodeKind::token); }

bool Parser::make(NodeKind kind, From from) {
  out_.add(kind, from.begin, tokens_.behind(), from.mark);
  return true;
}

bool Parser::role(Role role) {
  out_.is(role);
  return true;
}

bool Parser::around_token(NodeKind kind) {
  const From from = here();
  return token() && make(kind, from);
}

bool Parser::is_angle_end() const {
  const Tok kind = tokens_.kind();
  return kind == Tok::greater || kind == Tok::shift_right || kind == Tok::greater_equal || kind == Tok::launch_close ||
         kind == Tok::shift_right_assign;
}

}  // namespace frx::ingest::cuda
