#include "ingest/ptx/lexer.h"

#include <algorithm>
#include <cstring>

namespace frx::ingest::ptx {

Lexer::Lexer(std::string_view text, Position from)
    : begin_(text.data()), at_(text.data() + from.at), end_(text.data() + text.size()), line_(from.line) {
  skip();
}

// What is no word, or the end.
void Lexer::read_other() {
  const char* const from = at_;
  if (at_ == end_) return finish(Token::end, from);
  if (Letters::of(*at_) == Letters::digit) return read_number();
  if (*at_ == '"') return read_text();
  ++at_;
  if (*from != '.' || at_ == end_ || !Letters::is_name(*at_)) return finish(Token::mark, from);
  at_ = std::find_if_not(at_, end_, Letters::is_name);
  finish(Token::directive, from);
}

// 12, 0x1F, 0b101, 017U, 0f3F800000, 0d3FF0000000000000, 1.5e-3
void Lexer::read_number() {
  const char* const from = at_;
  const bool decimal = *at_ != '0' || at_ + 1 == end_ || Letters::of(at_[1]) != Letters::letter;
  while (at_ < end_ && (Letters::is_name(*at_) || (decimal && *at_ == '.'))) {
    const bool exponent = decimal && (*at_ == 'e' || *at_ == 'E');
    ++at_;
    if (exponent && at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
  }
  finish(Token::number, from);
}

// Reads up to the next quote on the same line; a backslash escapes the character after it.
void Lexer::read_text() {
  const char* const from = at_++;
  while (at_ < end_ && *at_ != '"' && *at_ != '\n') at_ += *at_ == '\\' && end_ - at_ > 1 && at_[1] != '\n' ? 2 : 1;
  const bool closed = at_ < end_ && *at_ == '"';
  if (closed) ++at_;
  finish(closed ? Token::text : Token::mark, from);
}

bool Lexer::skip_comment() {
  const char next = end_ - at_ > 1 ? at_[1] : '\0';
  if (*at_ == '#' ? at_ == begin_ || at_[-1] == '\n' : next == '/') return skip_line(), true;
  if (*at_ != '/' || next != '*') return false;
  skip_block();
  return true;
}

void Lexer::skip_line() {
  const void* const newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  at_ = newline != nullptr ? static_cast<const char*>(newline) : end_;
}

void Lexer::skip_block() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const std::size_t close = rest.find("*/", 2);
  const char* const to = close == rest.npos ? end_ : at_ + close + 2;
  line_ += static_cast<std::uint32_t>(std::count(at_, to, '\n'));
  at_ = to;
}

std::string_view Lexer::skip_region() {
  const char* const from = at_;
  const void* const brace = std::memchr(at_, '}', static_cast<std::size_t>(end_ - at_));
  at_ = brace != nullptr ? static_cast<const char*>(brace) : end_;
  const std::string_view inside(from, static_cast<std::size_t>(at_ - from));
  line_ += static_cast<std::uint32_t>(std::count(from, at_, '\n'));
  skip();
  skip_if('}');
  return inside;
}

}  // namespace frx::ingest::ptx
