// Gzip, read piece by piece with each library, beside zlib asked once.
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

// What zlib accepts comes out whole; what it refuses may be read as far as it is the same (ISA-L does not look at the checksum of a
// header, for one).
void check(std::string_view input, std::unique_ptr<frx::ingest::GzipEngine> engine, bool whole, const std::string& expected) {
  const std::unique_ptr<frx::ByteSource> bytes = frx::open_bytes(input);
  frx::ingest::GzipSource source(*bytes, std::move(engine));
  std::string text, piece(1009, '\0');
  while (text.size() < most) {
    const auto read = source.read(piece);
    if (!read) {
      require(!read.error().message.empty() && !(whole && text.size() < expected.size()));
      break;
    }
    if (*read == 0) break;
    text.append(piece, 0, *read);
  }
  const std::size_t both = std::min(text.size(), expected.size());
  require(std::string_view(text).substr(0, both) == std::string_view(expected).substr(0, both));
  // Members behind the first make ours the longer one.
  if (whole) require(text.size() >= expected.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  std::string expected;
  const bool whole = by_zlib(input.text(), expected);
  check(input.text(), frx::ingest::zlib_engine(), whole, expected);
  if (auto isal = frx::ingest::isal_engine()) check(input.text(), std::move(isal), whole, expected);
  return 0;
}
