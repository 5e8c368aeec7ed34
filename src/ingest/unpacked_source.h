// A source as it is, or its decompressed content: readers of a format need not know whether the file was compressed.
#pragma once

#include <optional>

#include "ingest/gzip_source.h"
#include "ingest/head_source.h"
#include "ingest/zstd_source.h"

namespace frx::ingest {

class UnpackedSource : public ByteSource {
 public:
  explicit UnpackedSource(ByteSource& source) : raw_(source) {}

  // The first bytes of the content. Call once, before read(), which delivers them again.
  Result<std::string_view> head() {
    TRY_ASSIGN(const std::string_view first, raw_.head());
    if (begins_zstd(first)) {
      unpacked_ = std::make_unique<ZstdSource>(raw_);
    } else if (begins_gzip(first)) {
      unpacked_ = std::make_unique<GzipSource>(raw_);
    } else {
      return first;
    }
    return content_.emplace(*unpacked_).head();
  }
  Result<std::size_t> read(std::span<char> buffer) override { return content_ ? content_->read(buffer) : raw_.read(buffer); }
  // 0 when compressed: the size is unknown before the end.
  std::uint64_t size_hint() const override { return content_ ? 0 : raw_.size_hint(); }

 private:
  HeadSource raw_;
  std::unique_ptr<ByteSource> unpacked_;
  std::optional<HeadSource> content_;  // of unpacked_
};

}  // namespace frx::ingest
