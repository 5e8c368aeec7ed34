// Decompresses an image.
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "ingest/fatbin/images.h"
#include "ingest/fatbin/lz4_block.h"
#include "ingest/unpack_limits.h"

namespace frx::ingest::fatbin {
namespace {

using Stream = std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)>;

// In pieces, so that a declared size costs no memory before there are bytes for it.
Result<std::string> unpack_zstd(std::string_view packed, std::size_t size) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  const Stream stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, 27);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string out;
  std::size_t wanted = 1;
  while (wanted != 0) {
    const std::size_t begin = out.size(), before = in.pos;
    out.resize(begin + std::min(piece, size - begin));
    ZSTD_outBuffer into{out.data() + begin, out.size() - begin, 0};
    wanted = ZSTD_decompressStream(stream.get(), &into, &in);
    out.resize(begin + into.pos);
    if (ZSTD_isError(wanted)) return fail(ErrorKind::malformed, "the zstd data is damaged ({})", ZSTD_getErrorName(wanted));
    if (wanted != 0 && into.pos == 0 && in.pos == before) break;
  }
  if (wanted != 0 || out.size() != size)
    return fail(ErrorKind::malformed, "the zstd data does not become the {} bytes that are declared", size);
  return out;
}

Result<std::string> unpack_whole(const Image& image) {
  switch (image.packing) {
    case Packing::none: return std::string(image.stored);
    case Packing::lz4: return unpack_lz4_block(image.stored, image.size);
    case Packing::zstd: break;
  }
  return unpack_zstd(image.stored, image.size);
}

}  // namespace

Result<std::string> unpack(const Image& image, std::uint64_t most) {
  if (image.size > most) return fail(ErrorKind::malformed, "an image of {} bytes, more than the {} that are read", image.size, most);
  if (image.packing != Packing::none && unpacks_to_too_much(image.size, image.stored.size())) return too_much_unpacked();
  Result<std::string> bytes = unpack_whole(image);
  if (bytes && image.kind == ImageKind::ptx) bytes->resize(bytes->find_last_not_of('\0') + 1);
  return bytes;
}

}  // namespace frx::ingest::fatbin
