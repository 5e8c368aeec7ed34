// The first bytes of a source, looked at and then read again.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/files.h"

namespace frx::ingest {

class HeadSource : public ByteSource {
 public:
  // As many bytes as formats need to be told apart.
  static constexpr std::size_t head_bytes = 4096;

  explicit HeadSource(ByteSource& source) : source_(source) {}

  // Call once, before read(). Fewer bytes than the buffer holds: the source has no more.
  Result<std::string_view> head() {
    TRY_ASSIGN(size_, source_.read(buffer_));
    return std::string_view(buffer_.data(), size_);
  }
  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t again = std::min(size_ - given_, buffer.size());
    std::copy_n(buffer_.data() + given_, again, buffer.data());
    given_ += again;
    if (again == buffer.size()) return again;
    // Also after an end: a source that failed says so only when it is asked again.
    TRY_ASSIGN(const std::size_t more, source_.read(buffer.subspan(again)));
    return again + more;
  }
  std::uint64_t size_hint() const override { return source_.size_hint(); }

 private:
  ByteSource& source_;
  std::array<char, head_bytes> buffer_;
  std::size_t size_ = 0;
  std::size_t given_ = 0;
};

}  // namespace frx::ingest
