// The content of a zstd stream: compressed reports (.ncu-repz) and exports that the user compressed.
//
// It is decompressed in pieces, in the memory of its window (at most 128 MiB, as the zstd program allows), so a small file that expands to
// a very large one costs only time; beyond 64 GiB it is refused.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace frx::ingest {

bool begins_zstd(std::string_view head);

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(ByteSource& packed);
  ~ZstdSource() override;

  // Fails on damaged bytes and on a stream that ends early.
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  struct Context;

  Result<> refill();

  ByteSource& packed_;
  std::unique_ptr<Context> context_;
  std::vector<char> input_;
  std::size_t begin_ = 0, end_ = 0;         // of what is still packed in input_
  bool ended_ = false;                      // packed_ has no more
  bool in_frame_ = false;                   // the current frame needs more bytes
  std::uint64_t taken_ = 0, unpacked_ = 0;  // bytes of packed_, and what became of them
};

}  // namespace frx::ingest
