// The content of a gzip stream, however many members it has, unpacked piece by piece.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace frx::ingest {

bool begins_gzip(std::string_view head);

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(ByteSource& packed);
  ~GzipSource() override;

  // Fails on damaged bytes, on a stream that ends early (after its last bytes were given), and beyond 64 GiB.
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  struct Context;

  Result<> refill();
  Failure damaged() const;

  ByteSource& packed_;
  std::unique_ptr<Context> context_;
  std::vector<char> input_;
  bool ended_ = false;      // packed_ has no more
  bool in_member_ = false;  // the member we are in wants more bytes
  std::uint64_t unpacked_ = 0;
};

}  // namespace frx::ingest
