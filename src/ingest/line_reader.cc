#include "ingest/line_reader.h"

#include <cstring>

namespace frx::ingest {
namespace {

constexpr std::size_t chunk = 1u << 18;
constexpr std::size_t max_line = std::size_t{64} << 20;

}  // namespace

LineReader::LineReader(ByteSource& source) : source_(source) { ensure_capacity(2 * chunk); }

// Provides capacity for `bytes` more after the valid ones.
void LineReader::ensure_capacity(std::size_t bytes) {
  if (capacity_ - end_ >= bytes) return;
  const std::size_t capacity = std::max(capacity_ * 2, end_ + bytes);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (end_ > 0) std::memcpy(larger.get(), buffer_.get(), end_);
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

// Frees the buffer in front of the current line and reads one more chunk.
Result<> LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    next_ -= begin_;
    begin_ = 0;
  }
  if (end_ > max_line) return fail(ErrorKind::malformed, "expected lines of at most 64 MB, found a longer one");
  ensure_capacity(chunk);
  TRY_ASSIGN(const std::size_t got, source_.read(std::span(buffer_.get() + end_, chunk)));
  bytes_read_ += got;
  at_end_ = got < chunk;
  end_ += got;
  if (!started_ && std::string_view(buffer_.get(), end_).starts_with("\xEF\xBB\xBF")) begin_ = next_ = 3;
  started_ = true;
  return {};
}

Result<std::string_view> LineReader::head() {
  if (!started_) TRY(fill());
  return std::string_view(buffer_.get() + next_, std::min<std::size_t>(end_ - next_, 65536));
}

Result<bool> LineReader::next(std::string_view& line) {
  if (!started_) TRY(fill());
  begin_ = next_;
  std::size_t searched = begin_;
  while (true) {
    const auto* found = static_cast<const char*>(std::memchr(buffer_.get() + searched, '\n', end_ - searched));
    if (found) {
      const auto at = static_cast<std::size_t>(found - buffer_.get());
      next_ = at + 1;
      ++line_number_;
      line = std::string_view(buffer_.get() + begin_, at - begin_);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      return true;
    }
    if (at_end_) break;
    const std::size_t done = end_ - begin_;
    next_ = begin_;
    TRY(fill());
    searched = begin_ + done;
  }
  if (begin_ == end_) {
    next_ = end_;
    return false;
  }
  next_ = end_;
  ++line_number_;
  line = std::string_view(buffer_.get() + begin_, end_ - begin_);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

Result<bool> LineReader::extend(std::string_view& line) {
  const std::size_t begin = begin_;
  const std::size_t kept = next_ - begin;
  if (next_ == end_ && at_end_) return false;
  std::size_t searched = next_;
  while (true) {
    const auto* found = static_cast<const char*>(std::memchr(buffer_.get() + searched, '\n', end_ - searched));
    if (found || at_end_) {
      const std::size_t at = found ? static_cast<std::size_t>(found - buffer_.get()) : end_;
      next_ = found ? at + 1 : end_;
      ++line_number_;
      line = std::string_view(buffer_.get() + begin_, at - begin_);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      return at - begin_ > kept || found != nullptr;
    }
    const std::size_t done = end_ - begin_;
    TRY(fill());
    searched = begin_ + done;
  }
}

}  // namespace frx::ingest
