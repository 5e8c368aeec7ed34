// Gzip, read piece by piece, beside zlib asked once: both accept the same streams and give the same bytes.
#include <zlib.h>

#include <algorithm>
#include <string>

#include "fuzz/input.h"
#include "ingest/gzip_source.h"

namespace {

using frx::fuzz::require;

constexpr std::size_t most = 1 << 20;  // unpacked; beyond that neither is asked

// The first member as zlib unpacks it. False when it refuses, or wants more input.
bool by_zlib(std::string_view bytes, std::string& text) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  text.resize(most);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int status = inflate(&stream, Z_SYNC_FLUSH);
  text.resize(most - stream.avail_out);
  inflateEnd(&stream);
  return status == Z_STREAM_END;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  std::string expected, text;
  const bool whole = by_zlib(input.text(), expected);
  const std::unique_ptr<frx::ByteSource> bytes = frx::open_bytes(input.text());
  frx::ingest::GzipSource source(*bytes);
  std::string piece(1009, '\0');
  while (text.size() < most) {
    const auto read = source.read(piece);
    if (!read) {
      require(!read.error().message.empty() && !(whole && text.size() < expected.size()));
      break;
    }
    if (*read == 0) {
      require(whole || size == 0);
      break;
    }
    text.append(piece, 0, *read);
  }
  const std::size_t both = std::min(text.size(), expected.size());
  require(std::string_view(text).substr(0, both) == std::string_view(expected).substr(0, both));
  if (expected.size() == most) return 0;
  // Members behind the first make ours the longer one.
  require(whole ? text.size() >= expected.size() : text.size() <= expected.size());
  return 0;
}
