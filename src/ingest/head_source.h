// The first bytes of a source, looked at and then read again.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "base/files.h"

namespace frx::ingest {

class HeadSource : public ByteSource {
 public:
  // As many bytes as are needed to distinguish formats: programs print before the tables of a profiler begin.
  static constexpr std::size_t head_bytes = std::size_t{64} << 10;

  explicit HeadSource(ByteSource& source) : source_(source) {}

  // Call once, before read(). Fewer bytes than head_bytes: the source has no more, or fails after them.
  Result<std::string_view> head() {
    buffer_ = std::make_unique_for_overwrite<char[]>(head_bytes);
    TRY_ASSIGN(size_, source_.read({buffer_.get(), head_bytes}));
    return std::string_view(buffer_.get(), size_);
  }
  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t again = std::min(size_ - given_, buffer.size());
    std::copy_n(buffer_.get() + given_, again, buffer.data());
    given_ += again;
    // Bytes that were peeked at are delivered before a failure after them is reported: the next call returns it.
    if (again == buffer.size()) return again;
    if (failure_) return Failure{*failure_};
    Result<std::size_t> more = source_.read(buffer.subspan(again));
    if (more) return again + *more;
    if (again == 0) return more;
    failure_ = std::move(more).error();
    return again;
  }
  std::uint64_t size_hint() const override { return source_.size_hint(); }

 private:
  ByteSource& source_;
  std::unique_ptr<char[]> buffer_;    // the head
  std::size_t size_ = 0, given_ = 0;  // of it, and how many bytes of it were delivered
  std::optional<Error> failure_;
};

}  // namespace frx::ingest
