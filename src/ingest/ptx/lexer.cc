#include "ingest/ptx/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace frx::ingest::ptx {
namespace {

// A percent sign is part of a name only as its first character: in `mov.u32%r1` another one begins there.
enum Class : std::uint8_t { other, space, percent, letter, digit };

constexpr std::array<Class, 256> classify() {
  std::array<Class, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[static_cast<unsigned char>(c)] = space;
  for (int c = '0'; c <= '9'; ++c) classes[c] = digit;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = letter;
  for (const char c : {'_', '$'}) classes[static_cast<unsigned char>(c)] = letter;
  classes['%'] = percent;
  return classes;
}
constexpr std::array<Class, 256> classes = classify();

Class class_of(char c) { return classes[static_cast<unsigned char>(c)]; }
bool is_name(char c) { return class_of(c) >= letter; }

}  // namespace

Lexer::Lexer(std::string_view text) : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) { skip(); }

Token Lexer::take() {
  const Token token = now_;
  skip();
  return token;
}

bool Lexer::skip_if(char mark) {
  if (!now_.is(mark)) return false;
  skip();
  return true;
}

char Lexer::peek() {
  skip_space();
  return at_ < end_ ? *at_ : '\0';
}

void Lexer::skip() {
  skip_space();
  const char* const from = at_;
  now_.line = line_;
  if (at_ == end_) return finish(Token::end, from);
  if (class_of(*at_) == letter) return read_word();
  if (*at_ == '%' && end_ - at_ > 1 && is_name(at_[1])) return read_word();
  if (class_of(*at_) == digit) return read_number();
  if (*at_ == '"') return read_text();
  ++at_;
  if (*from != '.' || at_ == end_ || !is_name(*at_)) return finish(Token::mark, from);
  at_ = std::find_if_not(at_, end_, is_name);
  finish(Token::directive, from);
}

void Lexer::finish(Token::Kind kind, const char* from) {
  now_.kind = kind;
  now_.first = from < end_ ? *from : '\0';
  now_.spelling = {from, static_cast<std::size_t>(at_ - from)};
}

// Letters, digits, and the dots and double colons inside: "%tid.x", "st.async.shared::cluster.b32".
void Lexer::read_word() {
  const char* const from = at_++;
  while (at_ < end_) {
    if (is_name(*at_)) {
      ++at_;
    } else if (*at_ == '.' && at_ + 1 < end_ && is_name(at_[1])) {
      at_ += 2;
    } else if (*at_ == ':' && end_ - at_ > 2 && at_[1] == ':' && is_name(at_[2])) {
      at_ += 3;
    } else {
      break;
    }
  }
  finish(Token::word, from);
}

// 12, 0x1F, 0b101, 017U, 0f3F800000, 0d3FF0000000000000, 1.5e-3
void Lexer::read_number() {
  const char* const from = at_;
  const bool decimal = *at_ != '0' || at_ + 1 == end_ || class_of(at_[1]) != letter;
  while (at_ < end_ && (is_name(*at_) || (decimal && *at_ == '.'))) {
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

void Lexer::skip_space() {
  while (at_ < end_) {
    if (class_of(*at_) == space) {
      line_ += *at_ == '\n';
      ++at_;
    } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '/') {
      skip_line();
    } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '*') {
      skip_block();
    } else if (*at_ == '#' && (at_ == begin_ || at_[-1] == '\n')) {
      skip_line();
    } else {
      return;
    }
  }
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
