// The first bytes of a source, looked at and then read again.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/files.h"

namespace frx::ingest {

class HeadSource : public ByteSource {
 public:
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
    if (again == buffer.size() || size_ < buffer_.size()) return again;
    TRY_ASSIGN(const std::size_t more, source_.read(buffer.subspan(again)));
    return again + more;
  }
  std::uint64_t size_hint() const override { return source_.size_hint(); }

 private:
  ByteSource& source_;
  std::array<char, 64> buffer_{};
  std::size_t size_ = 0;
  std::size_t given_ = 0;
};

}  // namespace frx::ingest
