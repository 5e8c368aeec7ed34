#include "ingest/zstd_source.h"

#include <zstd.h>

#include "ingest/unpack_limits.h"

namespace frx::ingest {
namespace {

constexpr std::uint64_t max_unpacked_zstd = std::uint64_t{64} << 30;
constexpr std::string_view magic = "\x28\xB5\x2F\xFD";

}  // namespace

struct ZstdSource::Context {
  ZSTD_DStream* stream = ZSTD_createDStream();
  ~Context() { ZSTD_freeDStream(stream); }
};

bool begins_zstd(std::string_view head) { return head.starts_with(magic); }

ZstdSource::ZstdSource(ByteSource& packed) : packed_(packed), context_(std::make_unique<Context>()), input_(ZSTD_DStreamInSize()) {}

ZstdSource::~ZstdSource() = default;

Result<> ZstdSource::refill() {
  if (begin_ < end_ || ended_) return {};
  TRY_ASSIGN(end_, packed_.read(input_));
  begin_ = 0;
  ended_ = end_ < input_.size();
  taken_ += end_;
  return {};
}

Result<std::size_t> ZstdSource::read(std::span<char> buffer) {
  ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
  while (out.pos < out.size) {
    TRY(refill());
    const bool dry = begin_ == end_;
    if (dry && !in_frame_) break;
    ZSTD_inBuffer in{input_.data(), end_, begin_};
    const std::size_t before = out.pos;
    const std::size_t wanted = ZSTD_decompressStream(context_->stream, &out, &in);
    begin_ = in.pos;
    if (ZSTD_isError(wanted)) {
      return fail(ErrorKind::malformed, "the compressed data is damaged ({})", ZSTD_getErrorName(wanted))
          .hint("does `zstd --test` accept the file? copy it again");
    }
    in_frame_ = wanted != 0;
    if (dry && in_frame_ && out.pos == before) {
      return fail(ErrorKind::malformed, "the compressed data ends early").hint("the copy is incomplete; copy the file again");
    }
  }
  unpacked_ += out.pos;
  if (unpacks_to_too_much(unpacked_, taken_)) return too_much_unpacked();
  if (unpacked_ > max_unpacked_zstd) return fail(ErrorKind::malformed, "the compressed data unpacks to more than 64 GiB");
  return out.pos;
}

}  // namespace frx::ingest
