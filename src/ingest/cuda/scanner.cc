#include "ingest/cuda/scanner.h"

#include <algorithm>
#include <array>

namespace frx::ingest::cuda {
namespace {

// Letters, digits, _ and everything beyond ASCII.
constexpr std::array<bool, 256> words = [] {
  std::array<bool, 256> all{};
  for (int c = 0; c < 256; ++c)
    all[static_cast<std::size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 128;
  return all;
}();
bool is_word(char c) { return words[static_cast<unsigned char>(c)]; }

constexpr std::array<bool, 256> spaces = [] {
  std::array<bool, 256> all{};
  for (const unsigned char c : {' ', '\t', '\r', '\f', '\v'}) all[c] = true;
  return all;
}();
bool is_space(char c) { return spaces[static_cast<unsigned char>(c)]; }

}  // namespace

std::size_t Scanner::comment_end(std::size_t from) const {
  if (text_[from + 1] == '*') {
    const std::size_t close = text_.find("*/", from + 2);
    return close == text_.npos ? text_.size() : close + 2;
  }
  std::size_t i = from;
  while (i < text_.size() && text_[i] != '\n') {
    i += text_[i] == '\\' && i + 1 < text_.size() ? 2 : 1;
  }
  return std::min(i, text_.size());
}

// An unterminated string ends with its line.
std::size_t Scanner::quoted_end(std::size_t from) const {
  const char quote = text_[from];
  for (std::size_t i = from + 1; i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      return i + 1;
    } else if (text_[i] == '\n') {
      return i;
    }
  }
  return text_.size();
}

std::size_t Scanner::raw_end(std::size_t quote) const {
  const std::size_t gap = text_.substr(quote, 18).find('(');  // a delimiter has at most 16 characters
  if (gap == text_.npos) return quoted_end(quote);
  const std::size_t open = quote + gap;
  const std::string_view delimiter = text_.substr(quote + 1, open - quote - 1);
  for (std::size_t close = text_.find(')', open); close != text_.npos; close = text_.find(')', close + 1)) {
    if (text_.substr(close + 1, delimiter.size()) == delimiter && at(close + 1 + delimiter.size()) == '"') {
      return close + 2 + delimiter.size();
    }
  }
  return text_.size();
}

std::size_t Scanner::directive_end(std::size_t from) const {
  std::size_t i = from;
  while (i < text_.size() && text_[i] != '\n') {
    if (text_[i] == '\\' && (at(i + 1) == '\n' || (at(i + 1) == '\r' && at(i + 2) == '\n'))) {
      i += at(i + 1) == '\n' ? 2 : 3;
    } else if (text_[i] == '/' && at(i + 1) == '*') {
      i = comment_end(i);
    } else if (text_[i] == '/' && at(i + 1) == '/') {
      return comment_end(i);
    } else if (text_[i] == '"') {
      i = std::max(quoted_end(i), i + 1);
    } else {
      ++i;
    }
  }
  return std::min(i, text_.size());
}

std::size_t Scanner::word_end(std::size_t from) const {
  std::size_t i = from;
  const bool number = text_[from] >= '0' && text_[from] <= '9';
  // 1'000'000 is one number.
  while (i < text_.size() && (is_word(text_[i]) || (number && text_[i] == '\'' && is_word(at(i + 1))))) ++i;
  return i;
}

Piece Scanner::take(Piece::Kind kind, std::size_t end) {
  const Piece piece{kind, at_, end - at_};
  at_ = end;
  return piece;
}

Piece Scanner::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  if (at_ >= text_.size()) return {Piece::end, text_.size(), 0};
  const char c = text_[at_];
  if (c == '\n') {
    line_begins_ = true;
    return take(Piece::newline, at_ + 1);
  }
  if (c == '/' && (at(at_ + 1) == '/' || at(at_ + 1) == '*')) return take(Piece::comment, comment_end(at_));
  if (c == '#' && line_begins_) return take(Piece::directive, directive_end(at_));
  line_begins_ = false;
  if (c == '"' || c == '\'') return take(Piece::text, quoted_end(at_));
  if (!is_word(c)) return take(Piece::code, at_ + 1);
  const std::size_t end = word_end(at_);
  const std::string_view word = text_.substr(at_, end - at_);
  if (at(end) == '"' && (word == "R" || word == "LR" || word == "u8R" || word == "uR" || word == "UR")) {
    return take(Piece::text, raw_end(end));
  }
  return take(Piece::code, end);
}

}  // namespace frx::ingest::cuda
