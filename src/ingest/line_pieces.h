// A text in pieces of whole lines, for readers that work on several of them at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/line_reader.h"

namespace frx::ingest {

// Lines with their ends, in memory of their own. Behind them are `padding` readable bytes.
struct LinePiece {
  static constexpr std::size_t padding = 32;

  std::unique_ptr<char[]> memory;
  std::size_t capacity = 0;
  std::size_t size = 0;
  bool is_last = false;          // nothing follows; only then the last line may have no end
  std::uint64_t bytes_read = 0;  // of the input so far
  std::optional<Error> failure;  // why the input ended

  std::string_view text() const { return {memory.get(), size}; }
};

class LinePieces {
 public:
  LinePieces(const LineReader::Rest& rest, std::size_t usual_size) : rest_(rest), carry_(rest.before), usual_size_(usual_size) {}

  // False after the last piece.
  bool next(LinePiece& piece);

 private:
  Result<> fill(LinePiece& piece);
  Result<> read_more(LinePiece& piece);

  LineReader::Rest rest_;
  std::string carry_;  // the begin of a line that a piece did not end
  std::size_t usual_size_;
  bool is_done_ = false;
};

// Lines of a text in memory. Line ends are LF or CRLF, and no part of a line.
class LineWindow {
 public:
  void open(std::string_view text, bool is_last) {
    at_ = text.data();
    end_ = text.data() + text.size();
    is_last_ = is_last;
  }
  bool next(std::string_view& line);
  // Joins the next line to the one that next() gave. False when there is none.
  bool extend(std::string_view& line);
  // Goes on at a line of the text.
  void go_to(const char* line, std::uint64_t lines_before) {
    at_ = line;
    line_number_ = lines_before;
  }

  const char* at() const { return at_; }
  const char* begin_of_line() const { return begin_; }
  std::string_view left() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool is_last() const { return is_last_; }
  std::uint64_t line_number() const { return line_number_; }

 private:
  bool find_end(const char* from, std::string_view& line);

  const char* begin_ = nullptr;  // of the line that was given last
  const char* at_ = nullptr;     // of the next one
  const char* end_ = nullptr;
  bool is_last_ = false;
  std::uint64_t line_number_ = 0;
};

}  // namespace frx::ingest
