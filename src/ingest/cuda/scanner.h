// A scanner for CUDA text that only distinguishes code from comments, strings and directives.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace frx::ingest::cuda {

// What a kernel is declared with.
inline constexpr std::string_view kernel_word = "__global__";

// Letters, digits, _ and everything beyond ASCII.
inline constexpr std::array<bool, 256> word_characters = [] {
  std::array<bool, 256> all{};
  for (int c = 0; c < 256; ++c)
    all[static_cast<std::size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 128;
  return all;
}();
inline constexpr std::array<bool, 256> blank_characters = [] {
  std::array<bool, 256> all{};
  for (const unsigned char c : {' ', '\t', '\r', '\f', '\v'}) all[c] = true;
  return all;
}();
// What may begin something else than a word or a mark: comments, directives, strings with their prefixes, numbers.
inline constexpr std::array<bool, 256> special_characters = [] {
  std::array<bool, 256> all{};
  for (const unsigned char c : std::string_view("\n/#\"'RLuU0123456789")) all[c] = true;
  return all;
}();
inline bool is_word_character(char c) { return word_characters[static_cast<unsigned char>(c)]; }

struct Piece {
  enum Kind { end, code, newline, comment, text, directive };
  Kind kind = end;
  std::size_t begin = 0, size = 0;
};

class Scanner {
 public:
  // A text that does not begin a line has no directive before its first line feed.
  explicit Scanner(std::string_view text, bool line_begins = true) : text_(text), line_begins_(line_begins) {}

  // The next token after blanks; a directive is a whole one, with its continued lines but without the last line feed. Code is returned as
  // one word or one punctuation mark.
  Piece next();
  std::size_t position() const { return at_; }  // behind the last token
  using Characters = std::array<bool, 256>;
  // Goes to the next mark among `wanted` that is code, at most to byte `until`, or behind that where it stands in a comment or a string.
  // Much faster than next(), for passes that look at few marks. False at the end of the text.
  bool go_to_mark(const Characters& wanted, std::size_t until);
  // Goes on at a token that does not begin a line.
  void go_to(std::size_t token) {
    at_ = token;
    line_begins_ = false;
  }
  std::string_view of(const Piece& piece) const { return text_.substr(piece.begin, piece.size); }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::size_t comment_end(std::size_t from) const;
  std::size_t quoted_end(std::size_t from) const;
  std::size_t raw_end(std::size_t quote) const;
  std::size_t directive_end(std::size_t from) const;
  std::size_t number_end(std::size_t from) const;
  bool is_in_number(std::size_t tick) const;
  bool is_raw(std::size_t quote) const;
  void pass_directive();
  Piece special(char first);
  Piece take(Piece::Kind kind, std::size_t end) {
    const Piece piece{kind, at_, end - at_};
    at_ = end;
    return piece;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_;
};

// Words and marks are nearly all of a text, and several passes read it: their path is compiled into each.
inline Piece Scanner::next() {
  const std::string_view text = text_;
  std::size_t begin = at_;
  while (begin < text.size() && blank_characters[static_cast<unsigned char>(text[begin])]) ++begin;
  at_ = begin;
  if (begin >= text.size()) return {Piece::end, text.size(), 0};
  const char c = text[begin];
  if (special_characters[static_cast<unsigned char>(c)]) return special(c);
  line_begins_ = false;
  std::size_t end = begin + 1;
  if (is_word_character(c)) {
    while (end < text.size() && is_word_character(text[end])) ++end;
  }
  at_ = end;
  return {Piece::code, begin, end - begin};
}

}  // namespace frx::ingest::cuda
