// A scanner for CUDA text that only distinguishes code from comments, strings and directives.
#pragma once

#include <cstddef>
#include <string_view>

namespace frx::ingest::cuda {

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
  std::string_view of(const Piece& piece) const { return text_.substr(piece.begin, piece.size); }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::size_t comment_end(std::size_t from) const;
  std::size_t quoted_end(std::size_t from) const;
  std::size_t raw_end(std::size_t quote) const;
  std::size_t directive_end(std::size_t from) const;
  std::size_t word_end(std::size_t from) const;
  Piece take(Piece::Kind kind, std::size_t end);

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_;
};

}  // namespace frx::ingest::cuda
