#include "ingest/gzip_source.h"

#include <zlib.h>

namespace frx::ingest {
namespace {

constexpr std::uint64_t max_unpacked = std::uint64_t{64} << 30;
constexpr std::size_t input_size = std::size_t{256} << 10;
constexpr int gzip_only = 15 + 16;  // zlib's way of asking for gzip headers, with the largest window

}  // namespace

struct GzipSource::Context {
  z_stream stream{};
  bool made = inflateInit2(&stream, gzip_only) == Z_OK;
  ~Context() { inflateEnd(&stream); }
};

bool begins_gzip(std::string_view head) { return head.starts_with("\x1F\x8B"); }

GzipSource::GzipSource(ByteSource& packed) : packed_(packed), context_(std::make_unique<Context>()), input_(input_size) {}

GzipSource::~GzipSource() = default;

Failure GzipSource::damaged() const {
  const char* said = context_->stream.msg;
  return fail(ErrorKind::malformed, "the compressed data is damaged ({})", said ? said : "not gzip")
      .hint("does `gzip --test` accept the file? copy it again");
}

Result<> GzipSource::refill() {
  z_stream& stream = context_->stream;
  if (stream.avail_in > 0 || ended_) return {};
  TRY_ASSIGN(const std::size_t size, packed_.read(input_));
  stream.next_in = reinterpret_cast<Bytef*>(input_.data());
  stream.avail_in = static_cast<uInt>(size);
  ended_ = size < input_.size();
  return {};
}

Result<std::size_t> GzipSource::read(std::span<char> buffer) {
  z_stream& stream = context_->stream;
  if (!context_->made) return damaged();
  buffer = buffer.first(std::min(buffer.size(), std::size_t{1} << 30));
  stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
  stream.avail_out = static_cast<uInt>(buffer.size());
  while (stream.avail_out > 0) {
    TRY(refill());
    if (stream.avail_in == 0) {
      if (!in_member_) break;
      if (stream.avail_out < buffer.size()) break;  // what came before first; the next call says the rest
      return fail(ErrorKind::malformed, "the compressed data ends early").hint("the copy is incomplete; copy the file again");
    }
    // Zeros behind the last member are padding of tapes and downloads.
    if (!in_member_ && unpacked_ > 0 && *stream.next_in == 0) {
      ++stream.next_in;
      --stream.avail_in;
      continue;
    }
    in_member_ = true;
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      in_member_ = false;
      unpacked_ = std::max<std::uint64_t>(unpacked_, 1);
      if (inflateReset(&stream) != Z_OK) return damaged();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return damaged();
    }
  }
  const std::size_t read = buffer.size() - stream.avail_out;
  unpacked_ += read;
  if (unpacked_ > max_unpacked) return fail(ErrorKind::malformed, "the compressed data unpacks to more than 64 GiB");
  return read;
}

}  // namespace frx::ingest
