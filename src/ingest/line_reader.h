// Lines of a text in UTF-8, with or without a byte order mark, in bounded memory; LF or CRLF. A line is valid until the next call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace frx::ingest {

class LineReader {
 public:
  explicit LineReader(ByteSource& source);

  // The first bytes, without consuming them; for sniffing.
  Result<std::string_view> head();

  // False at the end. The line has no line end.
  Result<bool> next(std::string_view& line);
  // Joins the next line to the current one (a quoted field that holds a line break).
  Result<bool> extend(std::string_view& line);

  std::uint64_t line_number() const { return line_number_; }
  std::uint64_t bytes_read() const { return bytes_read_; }

  // What no call gave yet, for a reader that reads the rest in another way and says how many lines it had.
  struct Rest {
    ByteSource& source;
    std::string_view before;  // bytes in front of those of the source
    bool at_end = false;      // the source has no more
    std::uint64_t bytes_read = 0;
  };
  Rest rest() const { return {source_, {buffer_.get() + next_, end_ - next_}, at_end_, bytes_read_}; }
  void count_rest(std::uint64_t lines) { line_number_ += lines; }

 private:
  Result<> fill();
  void ensure_capacity(std::size_t bytes);

  ByteSource& source_;
  // Not a vector: a new one would be filled with zeros, which costs more than reading a small file.
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // start of the current line
  std::size_t end_ = 0;    // end of the valid bytes
  std::size_t next_ = 0;   // start of the next line
  std::uint64_t line_number_ = 0;
  std::uint64_t bytes_read_ = 0;
  bool started_ = false;
  bool at_end_ = false;
};

}  // namespace frx::ingest
