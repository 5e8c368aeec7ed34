#include "ingest/cuda/scanner.h"

#include <algorithm>

namespace frx::ingest::cuda {

std::size_t Scanner::comment_end(std::size_t from) const {
  if (text_[from + 1] == '*') {
    const std::size_t close = text_.find("*/", from + 2);
    return close == text_.npos ? text_.size() : close + 2;
  }
  // A backslash before the line feed joins the next line, unless another one before it takes it.
  for (std::size_t line_feed = text_.find('\n', from); line_feed != text_.npos; line_feed = text_.find('\n', line_feed + 1)) {
    std::size_t backslashes = 0;
    while (line_feed - backslashes > from && text_[line_feed - backslashes - 1] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return line_feed;
    from = line_feed + 1;
  }
  return text_.size();
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

// 1'000'000 is one number.
std::size_t Scanner::number_end(std::size_t from) const {
  std::size_t i = from;
  while (i < text_.size() && (is_word_character(text_[i]) || (text_[i] == '\'' && is_word_character(at(i + 1))))) ++i;
  return i;
}

// What begins with a character that may begin something else than a word or a mark.
Piece Scanner::special(char first) {
  if (first == '\n') {
    line_begins_ = true;
    return take(Piece::newline, at_ + 1);
  }
  if (first == '/' && (at(at_ + 1) == '/' || at(at_ + 1) == '*')) return take(Piece::comment, comment_end(at_));
  if (first == '#' && line_begins_) return take(Piece::directive, directive_end(at_));
  line_begins_ = false;
  if (first == '"' || first == '\'') return take(Piece::text, quoted_end(at_));
  if (first >= '0' && first <= '9') return take(Piece::code, number_end(at_));
  std::size_t end = at_ + 1;
  if (!is_word_character(first)) return take(Piece::code, end);
  while (end < text_.size() && is_word_character(text_[end])) ++end;
  const std::string_view word = text_.substr(at_, end - at_);
  if (at(end) == '"' && (word == "R" || word == "LR" || word == "u8R" || word == "uR" || word == "UR")) {
    return take(Piece::text, raw_end(end));
  }
  return take(Piece::code, end);
}

// 1'000: a tick between the digits of a number, not the beginning of a character.
bool Scanner::is_in_number(std::size_t tick) const {
  if (tick == 0 || !is_word_character(text_[tick - 1]) || !is_word_character(at(tick + 1))) return false;
  std::size_t begin = tick;
  while (begin > 0 && is_word_character(text_[begin - 1])) --begin;
  return text_[begin] >= '0' && text_[begin] <= '9';
}

bool Scanner::is_raw(std::size_t quote) const {
  std::size_t begin = quote;
  while (begin > 0 && quote - begin < 4 && is_word_character(text_[begin - 1])) --begin;
  const std::string_view word = text_.substr(begin, quote - begin);
  return word == "R" || word == "LR" || word == "u8R" || word == "uR" || word == "UR";
}

// At the begin of a line: a directive may stand behind blanks and comments.
void Scanner::pass_directive() {
  while (line_begins_) {
    while (at_ < text_.size() && blank_characters[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at(at_) == '#') {
      at_ = directive_end(at_);
    } else if (at(at_) == '/' && (at(at_ + 1) == '/' || at(at_ + 1) == '*')) {
      at_ = comment_end(at_);
    } else {
      line_begins_ = at(at_) == '\n';
      return;
    }
  }
}

bool Scanner::go_to_mark(const Characters& wanted, std::size_t until) {
  pass_directive();
  until = std::min(until, text_.size());
  while (at_ < until) {
    const char c = text_[at_];
    if (wanted[static_cast<unsigned char>(c)]) return true;
    if (!special_characters[static_cast<unsigned char>(c)]) {
      ++at_;
    } else if (c == '\n') {
      ++at_;
      line_begins_ = true;
      pass_directive();
    } else if (c == '/' && (at(at_ + 1) == '/' || at(at_ + 1) == '*')) {
      at_ = comment_end(at_);
    } else if (c == '"') {
      at_ = is_raw(at_) ? raw_end(at_) : quoted_end(at_);
    } else if (c == '\'') {
      at_ = is_in_number(at_) ? number_end(at_) : quoted_end(at_);
    } else {
      ++at_;
    }
  }
  return at_ < text_.size();
}

}  // namespace frx::ingest::cuda
