#include "ingest/chrome_trace/json_cursor.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace frx::ingest::trace {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_scalar_end(char c) { return c == ',' || c == '}' || c == ']' || is_blank(c); }

constexpr std::array<bool, 256> nesting = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

// A byte of the result is not 0 where the byte of the word is `c`; the lowest of them is exact.
std::uint64_t bytes_that_are(std::uint64_t word, char c) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const std::uint64_t x = word ^ (ones * static_cast<unsigned char>(c));
  return (x - ones) & ~x & (ones << 7);
}

}  // namespace

char JsonCursor::peek() {
  while (at_ < end_ && is_blank(*at_)) ++at_;
  if (at_ < end_) return *at_;
  fail(State::dry);
  return 0;
}

bool JsonCursor::take(char expected) {
  const char next = peek();
  if (!good()) return false;
  if (next != expected) return fail(State::wrong);
  ++at_;
  return true;
}

bool JsonCursor::value(Token& token) {
  switch (peek()) {
    case '"': return string(token);
    case '{':
    case '[': return nested(token);
    case ',':
    case ':':
    case '}':
    case ']': return fail(State::wrong);
    default: return good() && scalar(token);
  }
}

// The next quote or backslash; end_ when there is none.
const char* JsonCursor::next_special(const char* from) const {
  for (; from < end_; from += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    const std::uint64_t found = bytes_that_are(word, '"') | bytes_that_are(word, '\\');
    if (found == 0) continue;
    const char* at = from + std::countr_zero(found) / 8;
    return at < end_ ? at : end_;
  }
  return end_;
}

// The quote that ends a string is followed by a comma, a colon or a bracket; any other one is part of the text.
bool JsonCursor::ends_string(const char* quote) {
  const char* next = quote + 1;
  while (next < end_ && is_blank(*next)) ++next;
  if (next == end_) return !fail(State::dry);
  return *next == ',' || *next == '}' || *next == ']' || *next == ':';
}

bool JsonCursor::string(Token& token) {
  const char* const begin = at_ + 1;
  for (const char* at = begin;;) {
    at = next_special(at);
    if (at == end_) return fail(State::dry);
    if (*at == '\\') {
      at += 2;
      if (at >= end_) return fail(State::dry);
      continue;
    }
    const bool over = ends_string(at);
    if (!good()) return false;
    if (over) {
      token = {Token::text, std::string_view(begin, static_cast<std::size_t>(at - begin))};
      at_ = at + 1;
      return true;
    }
    ++at;
  }
}

bool JsonCursor::key(std::string_view& name) {
  if (peek() != '"') return good() ? fail(State::wrong) : false;
  Token token;
  if (!string(token)) return false;
  name = token.raw;
  return true;
}

bool JsonCursor::nested(Token& token) {
  const char* const begin = at_;
  std::size_t depth = 0;
  do {
    while (at_ < end_ && !nesting[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ == end_) return fail(State::dry);
    if (*at_ == '"') {
      Token inside;
      if (!string(inside)) return false;
      continue;
    }
    depth += *at_ == '{' || *at_ == '[' ? 1 : std::size_t(-1);
    ++at_;
  } while (depth > 0);
  token = {*begin == '{' ? Token::object : Token::array, std::string_view(begin, static_cast<std::size_t>(at_ - begin))};
  return true;
}

bool JsonCursor::scalar(Token& token) {
  const char* const begin = at_;
  while (at_ < end_ && !is_scalar_end(*at_)) ++at_;
  if (at_ == end_) return fail(State::dry);
  token = {Token::scalar, std::string_view(begin, static_cast<std::size_t>(at_ - begin))};
  return true;
}

std::string unescaped(std::string_view raw) {
  if (raw.find('\\') == raw.npos) return std::string(raw);
  std::string quoted = "\"";
  quoted.append(raw).push_back('"');
  const nlohmann::json parsed = nlohmann::json::parse(quoted, nullptr, false);
  return parsed.is_string() ? parsed.get<std::string>() : std::string(raw);
}

}  // namespace frx::ingest::trace
