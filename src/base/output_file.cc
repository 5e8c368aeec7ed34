#include "base/output_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

namespace frx {
namespace {

Failure cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::unreadable, "cannot write: {}", std::strerror(error)).at(path);
}

constexpr int names_tried = 100;

// A file of another process may carry the number of this process, where containers share a folder.
std::string temporary_name(const std::string& target) {
  std::uint32_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) number = static_cast<std::uint32_t>(::getpid());
  return fmt::format("{}.{:08x}", target, number);
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path, Access access) {
  OutputFile file;
  file.path_ = file.target_ = path;
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  file.direct_ = exists && !S_ISREG(info.st_mode);
  if (file.direct_) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);  // of a directory: "Is a directory"
    if (file.descriptor_ < 0) return cannot_write(path, errno);
    return file;
  }
  file.keeps_mode_ = exists || access == Access::owner_only;
  if (access == Access::owner_only) file.mode_ = 0600;
  if (exists && access == Access::by_umask) file.mode_ = info.st_mode & 0777;
  std::error_code ignored;
  if (exists) file.target_ = std::filesystem::canonical(path, ignored).string();
  if (file.target_.empty()) file.target_ = path;
  const std::filesystem::path parent = std::filesystem::path(file.target_).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
  file.descriptor_ = file.open_new(parent.empty() ? "." : parent.string());
  if (file.descriptor_ < 0) return cannot_write(path, errno);
  if (file.keeps_mode_) ::fchmod(file.descriptor_, file.mode_);
  return file;
}

int OutputFile::open_new(const std::string& folder) {
#ifdef O_TMPFILE
  if (const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode_); unnamed >= 0) return unnamed;
#endif
  for (int i = 0; i < names_tried; ++i) {
    const SignalsHeld held;
    temporary_ = temporary_name(target_);
    const int named = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_);
    if (named >= 0) {
      noted_ = Leftover(temporary_);
      return named;
    }
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  return -1;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      noted_(std::move(other.noted_)),
      direct_(other.direct_),
      mode_(other.mode_),
      keeps_mode_(other.keeps_mode_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<> OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno != EINTR) {
      return cannot_write(path_, errno);
    }
  }
  return {};
}

// A name can only be given where there is none, so an unnamed file gets a temporary one first.
Result<> OutputFile::name_it() {
  const SignalsHeld held;
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
  for (int i = 0; temporary_.empty(); ++i) {
    const std::string temporary = temporary_name(target_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = temporary;
    } else if (errno != EEXIST || i == names_tried) {
      return cannot_write(path_, errno);
    }
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot_write(path_, errno);
  temporary_.clear();
  return {};
}

Result<> OutputFile::commit() {
  if (!direct_) TRY(name_it());
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot_write(path_, errno);
  return {};
}

}  // namespace frx
