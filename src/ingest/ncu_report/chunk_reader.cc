#include "ingest/ncu_report/chunk_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frx::ingest::nsight {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;
// Memory that one large piece needed is given back.
constexpr std::size_t most_kept = std::size_t{8} << 20;

}  // namespace

void ChunkReader::ensure_capacity(std::size_t free_bytes) {
  const std::size_t kept = end_ - begin_;
  if (memory_.capacity < kept + free_bytes) {
    const std::size_t capacity = std::max(kept + free_bytes, memory_.capacity * 2);
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (kept > 0) std::memcpy(larger.get(), memory_.bytes.get() + begin_, kept);
    memory_ = {std::move(larger), capacity};
  } else if (begin_ > 0 && kept > 0) {
    std::memmove(memory_.bytes.get(), memory_.bytes.get() + begin_, kept);
  }
  begin_ = 0;
  end_ = kept;
}

Result<> ChunkReader::fill(std::uint64_t wanted) {
  while (end_ - begin_ < wanted && !ended_) {
    if (memory_.capacity - end_ < chunk) ensure_capacity(chunk);
    TRY_ASSIGN(const std::size_t got, source_.read({memory_.bytes.get() + end_, memory_.capacity - end_}));
    ended_ = got < memory_.capacity - end_;
    end_ += got;
  }
  return {};
}

Result<std::string_view> ChunkReader::take(std::uint64_t size) {
  TRY(fill(size));
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - begin_));
  const std::string_view bytes(memory_.bytes.get() + begin_, taken);
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

void ChunkReader::exchange_memory(Memory& other) {
  std::swap(memory_, other);
  const std::size_t kept = end_ - begin_;
  if (memory_.capacity < kept || memory_.capacity > most_kept)
    memory_ = {std::make_unique_for_overwrite<char[]>(kept + chunk), kept + chunk};
  if (kept > 0) std::memcpy(memory_.bytes.get(), other.bytes.get() + begin_, kept);
  begin_ = 0;
  end_ = kept;
}

Result<bool> ChunkReader::at_end() {
  TRY(fill(1));
  return begin_ == end_;
}

}  // namespace frx::ingest::nsight
