// A source as it is, or its decompressed content, and text as UTF-8: readers of a format need not know how the file was compressed or
// encoded.
#pragma once

#include <memory>
#include <vector>

#include "ingest/gzip_source.h"
#include "ingest/head_source.h"
#include "ingest/utf8_source.h"
#include "ingest/zstd_source.h"

namespace frx::ingest {

class UnpackedSource : public ByteSource {
 public:
  explicit UnpackedSource(ByteSource& source) : raw_(source) {}

  // The first bytes of the content. Call once, before read(), which delivers them again.
  Result<std::string_view> head() {
    TRY_ASSIGN(std::string_view first, raw_.head());
    if (begins_zstd(first)) {
      TRY_ASSIGN(first, put(std::make_unique<ZstdSource>(raw_)));
    } else if (begins_gzip(first)) {
      TRY_ASSIGN(first, put(std::make_unique<GzipSource>(raw_)));
    }
    if (const Encoding encoding = encoding_of(first); encoding.unit > 1) {
      TRY_ASSIGN(first, put(std::make_unique<Utf8Source>(last(), encoding)));
    }
    return first;
  }
  Result<std::size_t> read(std::span<char> buffer) override { return last().read(buffer); }
  // 0 when decoded: the size is unknown before the end.
  std::uint64_t size_hint() const override { return layers_.empty() ? raw_.size_hint() : 0; }

 private:
  struct Layer {
    std::unique_ptr<ByteSource> decoder;  // of the layer before
    std::unique_ptr<HeadSource> content;
  };
  HeadSource& last() { return layers_.empty() ? raw_ : *layers_.back().content; }
  Result<std::string_view> put(std::unique_ptr<ByteSource> decoder) {
    auto content = std::make_unique<HeadSource>(*decoder);
    layers_.push_back({std::move(decoder), std::move(content)});
    return last().head();
  }

  HeadSource raw_;
  std::vector<Layer> layers_;
};

}  // namespace frx::ingest
