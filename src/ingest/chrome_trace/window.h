// The part of a file that is being looked at. It moves on as values are read, and grows for a value that does not fit.
#pragma once

#include <vector>

#include "base/files.h"

namespace frx::ingest::trace {

class Window {
 public:
  // Keeps `padding` bytes behind its end readable.
  Window(ByteSource& source, std::size_t padding) : source_(source), padding_(padding) {}

  const char* begin() const { return bytes_.data() + begin_; }
  const char* end() const { return bytes_.data() + end_; }
  // Of begin() in the file.
  std::uint64_t offset() const { return offset_; }
  bool at_end_of_file() const { return ended_; }

  // All before `at` has been read.
  void forget(const char* at);
  // More bytes behind end(); pointers into the window become invalid. False at the end of the file. Fails when one value
  // needs more than 256 MiB.
  Result<bool> more();

 private:
  ByteSource& source_;
  std::size_t padding_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace frx::ingest::trace
