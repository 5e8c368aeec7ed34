#include "ingest/chrome_trace/window.h"

#include <algorithm>
#include <cstring>

namespace frx::ingest::trace {
namespace {

constexpr std::size_t usual_size = std::size_t{512} << 10;
constexpr std::size_t largest = std::size_t{256} << 20;

}  // namespace

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
  // At least as much again as is kept: a long value is read in linear time.
  const std::size_t wanted = std::max(usual_size, 2 * kept);
  if (bytes_.size() < wanted + padding_) bytes_.resize(wanted + padding_);
  TRY_ASSIGN(const std::size_t read, source_.read(std::span(bytes_).subspan(kept, bytes_.size() - padding_ - kept)));
  end_ += read;
  ended_ = read == 0;  // fewer than asked for may be what came before a failure, which the next call says
  return read > 0;
}

}  // namespace frx::ingest::trace
