// What the limit programs that lex PTX and CUDA share: classes of bytes, hashes of words, numbers, and files read
// in pieces of whole lines.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace limit {

// In PTX dots, dollars and percent signs belong to words: %tid.x, $L__BB0_2.
enum class Language { ptx, cuda };

enum class Bytes : std::uint8_t { mark, space, word, digit, quote, slash };

namespace detail {

constexpr std::array<Bytes, 256> table(Language language) {
  std::array<Bytes, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
    Bytes& of = classes[static_cast<std::size_t>(c)];
    if (letter || (language == Language::ptx && (c == '$' || c == '%' || c == '.'))) of = Bytes::word;
    if (c >= '0' && c <= '9') of = Bytes::digit;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') of = Bytes::space;
    if (c == '"' || c == '\'') of = Bytes::quote;
    if (c == '/') of = Bytes::slash;
  }
  return classes;
}
template <Language language>
inline constexpr std::array<Bytes, 256> classes = table(language);

}  // namespace detail

template <Language language>
Bytes class_of(char c) {
  return detail::classes<language>[static_cast<unsigned char>(c)];
}
template <Language language>
bool is_word(char c) {
  return class_of<language>(c) == Bytes::word || class_of<language>(c) == Bytes::digit;
}

// Bytes behind the end are read, and must exist.
inline std::uint64_t hash_of(const char* begin, const char* end) {
  auto size = static_cast<std::size_t>(end - begin);
  std::uint64_t hash = size, part = 0;
  for (; size > 8; size -= 8, begin += 8) {
    std::memcpy(&part, begin, 8);
    hash = (hash ^ part) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  std::memcpy(&part, begin, 8);
  part &= ~std::uint64_t{0} >> (64 - 8 * size);
  hash = (hash ^ part) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}
// Of at most 8 letters.
constexpr std::uint64_t hash_of(std::string_view word) {
  std::uint64_t part = 0;
  for (std::size_t i = word.size(); i-- > 0;) part = part << 8 | static_cast<unsigned char>(word[i]);
  const std::uint64_t hash = (word.size() ^ part) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

struct Number {
  std::uint64_t value;
  const char* end;
};

// Decimal or hexadecimal; what follows of it (a fraction, a suffix, 0f3F800000) belongs to it.
inline Number number_at(const char* at) {
  constexpr auto is_more = [](char c) { return is_word<Language::cuda>(c) || c == '.'; };
  std::uint64_t value = 0;
  if (*at == '0' && (at[1] | 32) >= 'a' && (at[1] | 32) <= 'z') {
    for (at += 2; is_more(*at); ++at) value = value << 4 | static_cast<unsigned>((*at & 15) + (*at > '9' ? 9 : 0));
    return {value, at};
  }
  for (; *at >= '0' && *at <= '9'; ++at) value = 10 * value + static_cast<unsigned>(*at - '0');
  while (is_more(*at)) ++at;
  return {value, at};
}

// A string ends with its line at the latest.
inline const char* string_end(const char* at, const char* end) {
  const char quote = *at++;
  while (at < end && *at != quote && *at != '\n') at += *at == '\\' ? 2 : 1;
  return at < end ? at + 1 : end;
}

// Behind the comment that begins here, or the '/' that begins none; nullptr when it goes on behind the end.
inline const char* comment_end(const char* at, const char* end) {
  if (at[1] == '/') {
    const auto* const feed = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    return feed == nullptr ? end : feed;
  }
  if (at[1] != '*') return at + 1;
  const auto* const close = static_cast<const char*>(memmem(at + 2, static_cast<std::size_t>(end - at), "*/", 2));
  return close == nullptr || close + 2 > end ? nullptr : close + 2;
}

class Source {
 public:
  explicit Source(const char* path) : file_(::open(path, O_RDONLY)) {}
  ~Source() {
    if (file_ >= 0) ::close(file_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Hands over whole lines, with a few zeros behind them; `use` says how far it came, and gets the rest again
  // with more.
  template <typename Use>
  bool read(Use use) {
    if (file_ < 0) return false;
    std::size_t held = 0;
    for (;;) {
      if (buffer_.size() < held + piece + padding) buffer_.resize(2 * held + piece + padding);
      const ssize_t got = ::read(file_, buffer_.data() + held, piece);
      if (got < 0) return false;
      held += static_cast<std::size_t>(got);
      const char* const begin = buffer_.data();
      std::size_t whole = held;
      while (got > 0 && whole > 0 && begin[whole - 1] != '\n') --whole;
      std::memset(buffer_.data() + held, 0, padding);
      const char* const stopped = use(begin, begin + whole);
      const auto used = static_cast<std::size_t>(stopped - begin);
      held -= used;
      std::memmove(buffer_.data(), stopped, held);
      if (got == 0) return true;
    }
  }

 private:
  static constexpr std::size_t piece = 256 << 10, padding = 64;

  int file_;
  std::vector<char> buffer_;
};

}  // namespace limit
