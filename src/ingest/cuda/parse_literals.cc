// Strings and characters.
#include "ingest/cuda/parser_depth.h"

namespace frx::ingest::cuda {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Size in bytes of `\n`, `\012`, `\x1b`; 0 when there is no escape.
std::uint32_t escape_size(std::string_view text) {
  if (text.size() < 2 || text[1] == 'u' || text[1] == 'U') return 0;
  const bool hex = text[1] == 'x';
  std::uint32_t size = hex ? 2 : 1;
  const std::uint32_t most = hex ? 6 : 4;
  while (size < most && size < text.size() && (hex ? is_hex(text[size]) : is_octal(text[size]))) ++size;
  if (hex) return size > 2 ? size : 0;
  return size < 2 ? 2 : size;
}

}  // namespace

// Reads from after the opening quote to after the closing one.
bool Parser::escapes_until(char quote, NodeKind content) {
  const std::string_view text = tokens_.text();
  std::uint32_t i = tokens_.now().end;
  while (i < text.size() && text[i] != quote) {
    const std::uint32_t begin = i;
    if (text[i] == '\n') break;
    if (text[i] == '\\') {
      const std::uint32_t size = escape_size(text.substr(i));
      if (size == 0) return false;
      i += size;
      out_.leaf(NodeKind::other, begin, i);
    } else if (quote == '\'') {
      if (text[i] < 0) return false;
      out_.leaf(content, begin, ++i);
    } else {
      while (i < text.size() && text[i] != quote && text[i] != '\\' && text[i] != '\n') ++i;
      out_.leaf(content, begin, i);
    }
  }
  if (i >= text.size() || text[i] != quote) {
    tokens_.charge(i - tokens_.now().end);
    return false;
  }
  tokens_.extend(i + 1);
  next();
  return true;
}

bool Parser::string() {
  const From from = here();
  if (at(Tok::raw)) return raw_string();
  if (!at(Tok::quote)) return false;
  if (tokens_.spelling().size() > 1) out_.leaf(NodeKind::token, from.begin, tokens_.now().end);
  return escapes_until('"', NodeKind::string_content) && make(NodeKind::string, from);
}

bool Parser::character() {
  const From from = here();
  if (tokens_.spelling().size() > 1) out_.leaf(NodeKind::token, from.begin, tokens_.now().end);
  return escapes_until('\'', NodeKind::other) && make(NodeKind::character, from) && out_.newest_end() - from.begin > 2;
}

// R"mark(...)mark"
bool Parser::raw_string() {
  const From from = here();
  const std::string_view text = tokens_.text();
  const std::uint32_t open = tokens_.now().end;
  const std::size_t bracket = text.find('(', open);
  if (bracket == text.npos || bracket - open > 16) return false;
  const std::string_view mark = text.substr(open, bracket - open);
  std::size_t close = bracket;
  do {
    close = text.find(')', close + 1);
    if (close == text.npos) {
      tokens_.charge(text.size() - open);
      return false;
    }
  } while (text.substr(close + 1, mark.size()) != mark || text.substr(close + 1 + mark.size(), 1) != "\"");
  const auto begin = static_cast<std::uint32_t>(bracket) + 1, end = static_cast<std::uint32_t>(close);
  const auto size = static_cast<std::uint32_t>(mark.size());
  out_.leaf(NodeKind::token, from.begin, open);
  if (size > 0) out_.leaf(NodeKind::other, open, open + size);
  out_.leaf(NodeKind::raw_string_content, begin, end);
  if (size > 0) out_.leaf(NodeKind::other, end + 1, end + 1 + size);
  tokens_.extend(end + 2 + size);
  next();
  return make(NodeKind::raw_string, from);
}

// "a" "b" NAME; a word that touches the string makes a node of another kind.
bool Parser::strings() {
  const From from = here();
  std::uint32_t parts = 0, quoted = 0;
  while (at(Tok::quote) || at(Tok::raw) || (at(Tok::word) && (parts > 0 || tokens_.peek() == Tok::quote))) {
    if (at(Tok::word) && parts > 0 && tokens_.now().begin == tokens_.behind()) return false;
    if (!at(Tok::word)) ++quoted;
    if (!(at(Tok::word) ? leaf(NodeKind::identifier) : string())) return false;
    ++parts;
  }
  return quoted > 0 && (parts == 1 || make(NodeKind::other, from));
}

}  // namespace frx::ingest::cuda
