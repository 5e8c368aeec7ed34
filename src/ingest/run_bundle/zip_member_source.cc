#include "ingest/run_bundle/zip_member_source.h"

#include <zlib.h>

#include <algorithm>

#include "base/text.h"

namespace frx::ingest {

struct ZipMemberSource::Inflater {
  z_stream stream{};
  bool ended = false;
  Inflater() { ::inflateInit2(&stream, -MAX_WBITS); }  // no zlib header
  ~Inflater() { ::inflateEnd(&stream); }
};

ZipMemberSource::ZipMemberSource(std::shared_ptr<const RandomAccess> bytes, const ZipMember& member, std::uint64_t data)
    : bytes_(std::move(bytes)), member_(member), next_(data), left_(member.packed) {
  if (member.method == 0) return;
  inflater_ = std::make_unique<Inflater>();
  input_.resize(static_cast<std::size_t>(std::clamp<std::uint64_t>(left_, 1, 1 << 16)));
}

ZipMemberSource::~ZipMemberSource() = default;

Failure ZipMemberSource::damaged(std::string_view what) const {
  return fail(ErrorKind::malformed, "the packed member is damaged: {}", what).at(printable(member_.path)).hint("copy the archive again");
}

Result<std::size_t> ZipMemberSource::read_stored(std::span<char> buffer) {
  const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer.size()));
  TRY(bytes_->read_at(next_, buffer.first(take)));
  next_ += take;
  left_ -= take;
  return take;
}

Result<> ZipMemberSource::refill() {
  z_stream& stream = inflater_->stream;
  if (stream.avail_in > 0 || left_ == 0) return {};
  const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input_.size()));
  TRY(bytes_->read_at(next_, std::span(input_).first(take)));
  next_ += take;
  left_ -= take;
  stream.next_in = reinterpret_cast<Bytef*>(input_.data());
  stream.avail_in = static_cast<uInt>(take);
  return {};
}

Result<std::size_t> ZipMemberSource::read_deflated(std::span<char> buffer) {
  z_stream& stream = inflater_->stream;
  const std::size_t capacity = std::min<std::size_t>(buffer.size(), 1 << 30);
  stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
  stream.avail_out = static_cast<uInt>(capacity);
  while (stream.avail_out > 0 && !inflater_->ended) {
    TRY(refill());
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    inflater_->ended = code == Z_STREAM_END;
    if (code == Z_BUF_ERROR) return damaged("it ends early");
    if (code != Z_OK && code != Z_STREAM_END) return damaged(stream.msg == nullptr ? "no deflate stream" : stream.msg);
  }
  return capacity - stream.avail_out;
}

Result<std::size_t> ZipMemberSource::read(std::span<char> buffer) {
  if (buffer.empty()) return 0;
  std::size_t done = 0;
  while (done < buffer.size()) {
    TRY_ASSIGN(const std::size_t got, inflater_ ? read_deflated(buffer.subspan(done)) : read_stored(buffer.subspan(done)));
    if (got == 0) break;
    done += got;
    unpacked_ += got;
    if (unpacked_ > member_.bytes) return damaged("it is longer than it claims");
  }
  crc_ = static_cast<std::uint32_t>(::crc32_z(crc_, reinterpret_cast<const Bytef*>(buffer.data()), done));
  if (done == buffer.size()) return done;
  if (unpacked_ < member_.bytes) return damaged("it is shorter than it claims");
  if (crc_ != member_.crc) return damaged("its checksum differs");
  return done;
}

}  // namespace frx::ingest
