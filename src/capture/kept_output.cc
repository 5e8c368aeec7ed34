#include "capture/kept_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace frx::capture {

Result<KeptOutput> KeptOutput::make(const std::string& path, std::uint64_t limit) {
  KeptOutput output;
  output.file_ = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!output.file_) return fail(ErrorKind::unreadable, "cannot write: {}", std::strerror(errno)).at(path);
  output.path_ = path;
  output.limit_ = limit;
  output.last_size_ = static_cast<std::size_t>(std::min<std::uint64_t>(limit / 2, std::uint64_t{1} << 20));
  return output;
}

void KeptOutput::write(std::string_view bytes) {
  while (!bytes.empty() && error_.empty()) {
    const ssize_t wrote = ::write(file_.get(), bytes.data(), bytes.size());
    if (wrote >= 0) bytes.remove_prefix(static_cast<std::size_t>(wrote));
    if (wrote < 0 && errno != EINTR) error_ = fmt::format("{} is not complete: {}", path_, std::strerror(errno));
  }
}

void KeptOutput::keep_last(std::string_view bytes) {
  if (bytes.size() > last_size_) bytes.remove_prefix(bytes.size() - last_size_);
  const std::size_t growth = std::min(bytes.size(), last_size_ - last_.size());
  last_.append(bytes.substr(0, growth));
  bytes.remove_prefix(growth);
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), last_size_ - oldest_);
    bytes.copy(last_.data() + oldest_, part);
    oldest_ = (oldest_ + part) % last_size_;
    bytes.remove_prefix(part);
  }
}

void KeptOutput::take(std::string_view bytes) {
  const std::uint64_t left = limit_ - std::min(limit_, bytes_);
  bytes_ += bytes.size();
  write(bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size()))));
  keep_last(bytes);
}

void KeptOutput::finish() {
  if (bytes_ > limit_ && error_.empty()) {
    const std::uint64_t first = limit_ - last_size_;
    if (::ftruncate(file_.get(), static_cast<off_t>(first)) != 0 || ::lseek(file_.get(), 0, SEEK_END) < 0) {
      error_ = fmt::format("{} is not complete: {}", path_, std::strerror(errno));
    }
    write(fmt::format("\n[frx: {} bytes left out]\n", bytes_ - limit_));
    write(std::string_view(last_).substr(oldest_));
    write(std::string_view(last_).substr(0, oldest_));
  }
  file_.close();
}

}  // namespace frx::capture
