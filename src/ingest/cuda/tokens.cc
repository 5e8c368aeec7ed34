#include "ingest/cuda/tokens.h"

#include <algorithm>
#include <array>

namespace frx::ingest::cuda {
namespace {

struct Spelling {
  std::string_view text;
  Tok kind = Tok::end;
};

constexpr Spelling marks[] = {
#define FRX_CUDA_GROUP(name)
#define FRX_CUDA_MARK(name, spelling) {spelling, Tok::name},
#define FRX_CUDA_WORD(name, spelling)
#include "ingest/cuda/tokens.def"
};

constexpr Spelling words[] = {
#define FRX_CUDA_GROUP(name)
#define FRX_CUDA_MARK(name, spelling)
#define FRX_CUDA_WORD(name, spelling) {spelling, Tok::name},
#include "ingest/cuda/tokens.def"
};

constexpr std::size_t hash_of(std::string_view word) {
  const auto c = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(word[i])); };
  return (c(0) * 31 + c(word.size() - 1) * 7 + c(word.size() / 2) * 3 + word.size() * 101) & 1023;
}

// Hash table with linear probing.
struct Keywords {
  std::array<Spelling, 1024> places{};

  constexpr Keywords() {
    for (const Spelling& word : words) {
      std::size_t at = hash_of(word.text);
      while (!places[at].text.empty()) at = (at + 1) & 1023;
      places[at] = word;
    }
  }
  constexpr Tok find(std::string_view word) const {
    for (std::size_t at = hash_of(word); !places[at].text.empty(); at = (at + 1) & 1023) {
      if (places[at].text == word) return places[at].kind;
    }
    return Tok::word;
  }
};
constexpr Keywords keywords;

// First index of the marks that begin with a character.
struct FirstMarks {
  std::array<std::uint8_t, 256> count{};
  std::array<std::array<std::uint8_t, 8>, 256> which{};
  std::array<bool, 256> is_alone{};  // itself is the one mark that begins with it

  constexpr FirstMarks() {
    for (std::uint8_t i = 0; i < std::size(marks); ++i) {
      const auto c = static_cast<std::size_t>(marks[i].text[0]);
      which[c][count[c]++] = i;
      is_alone[c] = count[c] == 1 && marks[i].text.size() == 1;
    }
  }
};
constexpr FirstMarks first_marks;

constexpr std::array<bool, 256> spaces = [] {
  std::array<bool, 256> all{};
  for (const unsigned char c : {' ', '\t', '\r', '\n', '\f', '\v'}) all[c] = true;
  return all;
}();
bool is_space(char c) { return spaces[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_bit(char c) { return c == '0' || c == '1'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_name_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::array<bool, 256> names = [] {
  std::array<bool, 256> all{};
  for (int c = 0; c < 128; ++c)
    all[static_cast<std::size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return all;
}();
bool is_name(char c) { return names[static_cast<unsigned char>(c)]; }

// Digits, and ' between them.
std::size_t digits_end(std::string_view text, std::size_t i, bool (*is_one)(char)) {
  while (i < text.size() && (is_one(text[i]) || (text[i] == '\'' && i + 1 < text.size() && is_one(text[i + 1])))) ++i;
  return i;
}

// u, LL, uz; f, f16, L
std::size_t suffix_end(std::string_view text, std::size_t i) {
  while (i < text.size() && std::string_view("uUlLzZfF").find(text[i]) != std::string_view::npos) ++i;
  return i;
}

}  // namespace

std::uint32_t Tokens::gap_end(std::uint32_t i) const {
  while (i < text_.size()) {
    const char c = text_[i];
    if (is_space(c)) {
      ++i;
    } else if (c == '/' && at(i + 1) == '/') {
      while (i < text_.size() && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
    } else if (c == '/' && at(i + 1) == '*') {
      const std::size_t close = text_.find("*/", i + 2);
      if (close == text_.npos) return i;
      i = static_cast<std::uint32_t>(close + 2);
    } else if (c == '\\' && (at(i + 1) == '\n' || (at(i + 1) == '\r' && at(i + 2) == '\n'))) {
      i += 2;
    } else {
      break;
    }
  }
  return std::min(i, size());
}

Token Tokens::read_word(std::uint32_t from) const {
  std::uint32_t end = from + 1;
  while (end < text_.size() && is_name(text_[end])) ++end;
  const char behind = at(end);
  if (behind < 0 || behind == '$' || behind == '\\') return {Tok::unknown, from, end};
  const std::string_view word = text_.substr(from, end - from);
  if (behind == '"' || behind == '\'') {
    const bool is_prefix = word == "L" || word == "u" || word == "U" || word == "u8";
    if (is_prefix) return {behind == '"' ? Tok::quote : Tok::tick, from, end + 1};
    if (behind == '"' && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R")) return {Tok::raw, from, end + 1};
  }
  return {keywords.find(word), from, end};
}

// A number followed by anything else, or without a digit, is left to the grammar; so is a whole number with an f.
Token Tokens::read_number(std::uint32_t from) const {
  const auto c = [&](std::size_t k) { return at(static_cast<std::uint32_t>(k)); };
  std::size_t i = from + (c(from) == '-' || c(from) == '+' ? 1 : 0);
  const bool hex = c(i) == '0' && (c(i + 1) | 32) == 'x';
  const bool binary = c(i) == '0' && (c(i + 1) | 32) == 'b';
  const auto unknown = [&] { return Token{Tok::unknown, from, static_cast<std::uint32_t>(i)}; };
  const std::size_t first_digit = i + (hex || binary ? 2 : 0);
  i = digits_end(text_, first_digit, hex ? is_hex : binary ? is_bit : is_digit);
  const bool has_no_digit = (hex || binary) && i == first_digit;  // .5 has some behind the point
  if (has_no_digit || (c(i) | 32) == 'f') return unknown();
  if (!hex && !binary) {
    if (c(i) == '.') i = digits_end(text_, i + 1, is_digit);
    if ((c(i) | 32) == 'e') {
      const std::size_t sign = c(i + 1) == '-' || c(i + 1) == '+' ? 1 : 0;
      if (!is_digit(c(i + 1 + sign))) return unknown();
      i = digits_end(text_, i + 1 + sign, is_digit);
    }
  }
  i = suffix_end(text_, i);
  const auto end = static_cast<std::uint32_t>(i);
  return {is_name(at(end)) || at(end) == '.' || at(end) < 0 ? Tok::unknown : Tok::number, from, end};
}

// << < and >> > as well.
Token Tokens::read_launch_mark(std::uint32_t from) const {
  std::uint32_t end = from;
  for (int i = 0; i < 3; ++i) {
    while (i > 0 && end < text_.size() && is_space(text_[end])) ++end;
    if (at(end) != text_[from]) return {};
    ++end;
  }
  return {text_[from] == '<' ? Tok::launch_open : Tok::launch_close, from, end};
}

// A mark has at most three characters: too few to be worth a function call.
bool Tokens::has_mark(std::uint32_t from, std::string_view mark) const {
  for (std::size_t i = 0; i < mark.size(); ++i) {
    if (at(from + static_cast<std::uint32_t>(i)) != mark[i]) return false;
  }
  return true;
}

Token Tokens::read_mark(std::uint32_t from) const {
  if (text_[from] == '<' || text_[from] == '>') {
    const Token mark = read_launch_mark(from);
    if (mark.kind != Tok::end) return mark;
  }
  const auto c = static_cast<unsigned char>(text_[from]);
  if (first_marks.is_alone[c]) return {marks[first_marks.which[c][0]].kind, from, from + 1};
  for (std::uint8_t i = 0; i < first_marks.count[c]; ++i) {
    const Spelling& mark = marks[first_marks.which[c][i]];
    if (has_mark(from, mark.text)) return {mark.kind, from, from + static_cast<std::uint32_t>(mark.text.size())};
  }
  return {Tok::unknown, from, from + 1};
}

Token Tokens::read_anew(std::uint32_t from) const {
  const std::uint32_t begin = gap_end(from);
  return begin < text_.size() ? read_at(begin) : Token{Tok::end, size(), size()};
}

Token Tokens::read_at(std::uint32_t begin) const {
  const char c = text_[begin];
  if (is_name_begin(c)) return read_word(begin);
  if (is_digit(c) || (c == '.' && is_digit(at(begin + 1)))) return read_number(begin);
  if (c == '"') return {Tok::quote, begin, begin + 1};
  if (c == '\'') return {Tok::tick, begin, begin + 1};
  if (c == '/' && at(begin + 1) == '*') return {Tok::unknown, begin, size()};  // an unterminated comment
  return read_mark(begin);
}

void Tokens::next() {
  behind_ = now_.end;
  now_ = read(now_.end);
}

Tok Tokens::peek() const { return read(now_.end).kind; }

void Tokens::join_sign() {
  const char digit = at(now_.end), behind = at(now_.end + 1);
  if ((now_.kind != Tok::minus && now_.kind != Tok::plus) || !(is_digit(digit) || (digit == '.' && is_digit(behind)))) return;
  now_ = read_number(now_.begin);
}

}  // namespace frx::ingest::cuda
