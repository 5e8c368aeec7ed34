// Pieces of known size out of a stream, in memory bounded by the largest piece.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace frx::ingest::nsight {

class ChunkReader {
 public:
  explicit ChunkReader(ByteSource& source) : source_(source) {}

  // The next `size` bytes, valid until the next call; fewer at the end of the file. Memory grows with the bytes that are read, so a wrong
  // size costs nothing.
  Result<std::string_view> take(std::uint64_t size);
  // Skips `size` bytes; returns how many there were.
  Result<std::uint64_t> skip(std::uint64_t size);
  Result<bool> at_end();

  std::uint64_t offset() const { return offset_; }
  // The bytes that take() can give without reading.
  std::string_view buffered() const { return {memory_.bytes.get() + begin_, end_ - begin_}; }

  struct Memory {
    std::unique_ptr<char[]> bytes;  // not a vector, which would write zeros first
    std::size_t capacity = 0;
  };
  // Puts the memory of all views that were given since the last call into `other`, and goes on in what was there.
  void exchange_memory(Memory& other);

 private:
  Result<> fill(std::uint64_t wanted);
  void ensure_capacity(std::size_t free_bytes);

  ByteSource& source_;
  Memory memory_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_ in the file
  bool ended_ = false;
};

}  // namespace frx::ingest::nsight
