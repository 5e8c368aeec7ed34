// The part of a file that is in memory. It moves on as values are read, and grows for a value that does not fit.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/files.h"

namespace frx::ingest::trace {

// A source that takes back bytes that were read too far, and a failure with them.
class UnreadSource : public ByteSource {
 public:
  explicit UnreadSource(ByteSource& source) : source_(source) {}

  Result<std::size_t> read(std::span<char> buffer) override;
  std::uint64_t size_hint() const override { return source_.size_hint(); }

  // To be read next, before anything returned earlier: the pieces in order. The failure comes after all of them.
  void unread(std::deque<std::vector<char>> pieces, std::optional<Error> failure);

 private:
  ByteSource& source_;
  std::deque<std::vector<char>> pieces_;
  std::size_t given_ = 0;  // bytes of the first piece that were delivered
  std::optional<Error> failure_;
};

class Window {
 public:
  // Keeps `padding` bytes after its end readable.
  Window(ByteSource& source, std::size_t padding) : source_(source), padding_(padding) {}

  const char* begin() const { return bytes_.data() + begin_; }
  const char* end() const { return bytes_.data() + end_; }
  // The position of begin() in the file.
  std::uint64_t offset() const { return offset_; }

  // Declares all bytes before `at` as read.
  void forget(const char* at);
  // Reads more bytes after end(); pointers into the window become invalid. False at the end of the file. Fails when one value
  // needs more than 256 MiB.
  Result<bool> more();

  UnreadSource& source() { return source_; }
  // Hands over the content of the window, and whatever else of the file the caller reads from source(). The caller then says how many of
  // those bytes are done, and returns the others to the source.
  std::vector<char> take();
  void skip(std::uint64_t done) { offset_ += done; }

 private:
  UnreadSource source_;
  std::size_t padding_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace frx::ingest::trace
