// The content of a gzip stream, however many members it has, unpacked piece by piece.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "ingest/gzip_engine.h"

namespace frx::ingest {

bool begins_gzip(std::string_view head);

class GzipSource : public ByteSource {
 public:
  // Uses the fastest library that is installed, or the given one.
  explicit GzipSource(ByteSource& packed, std::unique_ptr<GzipEngine> engine = nullptr);

  // Fails on damaged bytes, on a stream that ends early (after its last bytes were given), beyond 64 GiB, and where it unpacks to
  // too large a multiple of its size (ingest/unpack_limits.h).
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  Result<> refill();
  Result<bool> unpack(std::span<char>& output);

  ByteSource& packed_;
  std::unique_ptr<GzipEngine> engine_;
  std::vector<char> input_;
  std::span<const char> waiting_;           // of input_, not unpacked yet
  bool ended_ = false;                      // packed_ has no more
  bool in_member_ = false;                  // the current member needs more bytes
  bool any_member_ = false;                 // one has ended
  std::uint64_t taken_ = 0, unpacked_ = 0;  // bytes of packed_, and what became of them
  std::optional<Error> failure_;            // reported after the bytes before it were delivered
};

}  // namespace frx::ingest
