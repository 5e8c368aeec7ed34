#include "ingest/ncu_report/chunk_reader.h"

#include <algorithm>
#include <cstring>

namespace frx::ingest::nsight {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;

}  // namespace

void ChunkReader::ensure_capacity(std::size_t free_bytes) {
  const std::size_t kept = end_ - begin_;
  if (capacity_ < kept + free_bytes) {
    const std::size_t capacity = std::max(kept + free_bytes, capacity_ * 2);
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (kept > 0) std::memcpy(larger.get(), buffer_.get() + begin_, kept);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  } else if (begin_ > 0 && kept > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  }
  begin_ = 0;
  end_ = kept;
}

Result<> ChunkReader::fill(std::uint64_t wanted) {
  while (end_ - begin_ < wanted && !ended_) {
    if (capacity_ - end_ < chunk) ensure_capacity(chunk);
    TRY_ASSIGN(const std::size_t got, source_.read({buffer_.get() + end_, capacity_ - end_}));
    ended_ = got < capacity_ - end_;
    end_ += got;
  }
  return {};
}

Result<std::string_view> ChunkReader::take(std::uint64_t size) {
  TRY(fill(size));
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - begin_));
  const std::string_view bytes(buffer_.get() + begin_, taken);
  begin_ += taken;
  offset_ += taken;
  return bytes;
}

Result<std::uint64_t> ChunkReader::skip(std::uint64_t size) {
  std::uint64_t skipped = 0;
  while (skipped < size) {
    TRY_ASSIGN(const std::string_view piece, take(std::min<std::uint64_t>(size - skipped, chunk)));
    if (piece.empty()) break;
    skipped += piece.size();
  }
  return skipped;
}

Result<bool> ChunkReader::at_end() {
  TRY(fill(1));
  return begin_ == end_;
}

}  // namespace frx::ingest::nsight
