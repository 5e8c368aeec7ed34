#include "ingest/fatbin/lz4_block.h"

#include <lz4.h>

#include <limits>

namespace frx::ingest::fatbin {
namespace {

// A byte of an LZ4 block makes at most this many.
constexpr std::size_t best_ratio = 255;

}  // namespace

Result<std::string> unpack_lz4_block(std::string_view packed, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  // Checked before memory is allocated: a few hostile bytes may claim any size.
  const bool is_possible = size <= most && packed.size() <= most && size / best_ratio <= packed.size();
  if (!is_possible) return fail(ErrorKind::malformed, "{} bytes of LZ4 cannot become {}", packed.size(), size);
  std::string text(size, '\0');
  const int got = LZ4_decompress_safe(packed.data(), text.data(), static_cast<int>(packed.size()), static_cast<int>(size));
  if (got < 0 || static_cast<std::size_t>(got) != size)
    return fail(ErrorKind::malformed, "the LZ4 data is damaged (expected {} bytes)", size);
  return text;
}

}  // namespace frx::ingest::fatbin
