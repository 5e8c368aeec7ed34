#include "ingest/chrome_trace/window.h"

#include <algorithm>
#include <cstring>

namespace frx::ingest::trace {
namespace {

constexpr std::size_t usual_size = std::size_t{512} << 10;
constexpr std::size_t largest = std::size_t{256} << 20;

}  // namespace

Result<std::size_t> UnreadSource::read(std::span<char> buffer) {
  std::size_t done = 0;
  while (done < buffer.size() && !pieces_.empty()) {
    const std::span<const char> rest = std::span(pieces_.front()).subspan(given_);
    const std::size_t size = std::min(rest.size(), buffer.size() - done);
    std::copy_n(rest.begin(), size, buffer.begin() + static_cast<std::ptrdiff_t>(done));
    done += size;
    given_ += size;
    if (size < rest.size()) break;
    pieces_.pop_front();
    given_ = 0;
  }
  if (done == buffer.size()) return done;
  if (!failure_) {
    Result<std::size_t> more = source_.read(buffer.subspan(done));
    if (more) return done + *more;
    failure_ = std::move(more).error();
  }
  if (done > 0) return done;  // the bytes before it first
  return Failure{*failure_};
}

void UnreadSource::unread(std::deque<std::vector<char>> pieces, std::optional<Error> failure) {
  if (!pieces_.empty()) pieces_.front().erase(pieces_.front().begin(), pieces_.front().begin() + static_cast<std::ptrdiff_t>(given_));
  given_ = 0;
  for (std::vector<char>& later : pieces_) pieces.push_back(std::move(later));
  pieces_ = std::move(pieces);
  if (failure) failure_ = std::move(failure);
}

std::vector<char> Window::take() {
  std::vector<char> rest(begin(), end());
  begin_ = end_ = 0;
  ended_ = false;
  return rest;
}

void Window::forget(const char* at) {
  const std::size_t passed = static_cast<std::size_t>(at - begin());
  begin_ += passed;
  offset_ += passed;
}

Result<bool> Window::more() {
  if (ended_) return false;
  const std::size_t kept = end_ - begin_;
  if (kept > largest) return fail(ErrorKind::malformed, "one value is longer than {} MiB", largest >> 20);
  if (begin_ > 0) std::memmove(bytes_.data(), begin(), kept);
  begin_ = 0;
  end_ = kept;
  // At least doubles the kept size: a long value is read in linear time.
  const std::size_t wanted = std::max(usual_size, 2 * kept);
  if (bytes_.size() < wanted + padding_) bytes_.resize(wanted + padding_);
  TRY_ASSIGN(const std::size_t read, source_.read(std::span(bytes_).subspan(kept, bytes_.size() - padding_ - kept)));
  end_ += read;
  ended_ = read == 0;  // fewer bytes than requested may precede a failure, which the next call returns
  return read > 0;
}

}  // namespace frx::ingest::trace
