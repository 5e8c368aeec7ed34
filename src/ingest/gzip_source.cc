#include "ingest/gzip_source.h"

#include <algorithm>

#include "ingest/unpack_limits.h"

namespace frx::ingest {
namespace {

constexpr std::uint64_t max_unpacked_gzip = std::uint64_t{64} << 30;
constexpr std::size_t input_size = std::size_t{256} << 10;

std::unique_ptr<GzipEngine> fastest_engine() {
  std::unique_ptr<GzipEngine> engine = isal_engine();
  return engine ? std::move(engine) : zlib_engine();
}

}  // namespace

bool begins_gzip(std::string_view head) { return head.starts_with("\x1F\x8B"); }

GzipSource::GzipSource(ByteSource& packed, std::unique_ptr<GzipEngine> engine)
    : packed_(packed), engine_(engine ? std::move(engine) : fastest_engine()), input_(input_size) {}

Result<> GzipSource::refill() {
  if (!waiting_.empty() || ended_) return {};
  TRY_ASSIGN(const std::size_t size, packed_.read(input_));
  waiting_ = std::span<const char>(input_).first(size);
  ended_ = size < input_.size();
  taken_ += size;
  return {};
}

// Fills a part of the output. False at the end of the last member.
Result<bool> GzipSource::unpack(std::span<char>& output) {
  TRY(refill());
  // Zeros after the last member are padding of tapes and downloads.
  if (!in_member_ && any_member_) {
    waiting_ = waiting_.subspan(static_cast<std::size_t>(std::ranges::find_if(waiting_, [](char c) { return c != 0; }) - waiting_.begin()));
  }
  if (waiting_.empty() && !ended_) return true;
  if (waiting_.empty() && !in_member_) return false;
  if (!in_member_ && any_member_) engine_->next_member();
  in_member_ = true;
  // A library may hold back output that did not fit, so it is called even when there is no more input.
  const bool was_last = waiting_.empty();
  const std::size_t before = output.size();
  const GzipEngine::Status status = engine_->run(waiting_, output);
  unpacked_ += before - output.size();
  if (status == GzipEngine::Status::more && was_last && output.size() == before) {
    return fail(ErrorKind::malformed, "the compressed data ends early").hint("the copy is incomplete; copy the file again");
  }
  if (status == GzipEngine::Status::damaged) {
    return fail(ErrorKind::malformed, "the compressed data is damaged ({})", engine_->message())
        .hint("does `gzip --test` accept the file? copy it again");
  }
  if (status == GzipEngine::Status::end_of_member) {
    in_member_ = false;
    any_member_ = true;
  }
  if (unpacks_to_too_much(unpacked_, taken_)) return too_much_unpacked();
  if (unpacked_ > max_unpacked_gzip) return fail(ErrorKind::malformed, "the compressed data unpacks to more than 64 GiB");
  return true;
}

Result<std::size_t> GzipSource::read(std::span<char> buffer) {
  std::span<char> output = buffer;
  while (!output.empty() && !failure_) {
    const Result<bool> more = unpack(output);
    if (!more) {
      failure_ = more.error();
    } else if (!*more) {
      break;
    }
  }
  if (failure_ && output.size() == buffer.size() && !buffer.empty()) return Failure{*failure_};
  return buffer.size() - output.size();
}

}  // namespace frx::ingest
