#include "capture/folder_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace frx::capture {
namespace {

constexpr std::size_t most_folders_waiting = 100'000;
constexpr std::uint64_t block = 512;  // of st_blocks, whatever the file system

}  // namespace

bool FolderWatch::open_next() {
  while (!waiting_.empty()) {
    current_ = std::move(waiting_.back());
    waiting_.pop_back();
    const int folder = ::open(current_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (folder < 0) continue;
    open_.reset(::fdopendir(folder));
    if (open_) return true;
    ::close(folder);
  }
  return false;
}

void FolderWatch::take(const dirent& entry) {
  const std::string_view name = entry.d_name;
  struct stat file {};
  if (name == "." || name == ".." || ::fstatat(::dirfd(open_.get()), entry.d_name, &file, AT_SYMLINK_NOFOLLOW) != 0) return;
  bytes_ += static_cast<std::uint64_t>(file.st_blocks) * block;
  if (S_ISDIR(file.st_mode) && waiting_.size() < most_folders_waiting) waiting_.push_back(current_ + "/" + entry.d_name);
}

std::uint64_t FolderWatch::look(std::size_t entries) {
  if (is_complete()) {
    bytes_ = 0;
    waiting_.push_back(folder_ + "/.");  // also where it is named by a link
  }
  while (entries > 0 && (open_ || open_next())) {
    const dirent* entry = ::readdir(open_.get());
    if (entry == nullptr) {
      open_.reset();
    } else {
      take(*entry);
    }
    --entries;
  }
  if (is_complete()) whole_ = bytes_;
  return std::max(bytes_, whole_);
}

std::uint64_t free_bytes_at(const std::string& path) {
  struct statvfs file_system {};
  if (::statvfs(path.c_str(), &file_system) != 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(file_system.f_bavail) * file_system.f_frsize;
}

}  // namespace frx::capture
