#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace frx {
namespace {

Failure cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::unreadable, "cannot write: {}", std::strerror(error)).at(path);
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
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
  std::error_code ignored;
  if (exists) file.target_ = std::filesystem::canonical(path, ignored).string();
  if (file.target_.empty()) file.target_ = path;
  const std::filesystem::path parent = std::filesystem::path(file.target_).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
  file.descriptor_ = file.open_unnamed(parent.empty() ? "." : parent.string());
  if (file.descriptor_ < 0) return cannot_write(path, errno);
  return file;
}

int OutputFile::open_unnamed(const std::string& folder) {
#ifdef O_TMPFILE
  if (const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644); unnamed >= 0) return unnamed;
#endif
  temporary_ = target_ + ".XXXXXX";
  const int named = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (named < 0) temporary_.clear();
  return named;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      direct_(other.direct_),
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
  if (temporary_.empty()) {
    const std::string temporary = fmt::format("{}.{}", target_, ::getpid());
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0) return cannot_write(path_, errno);
    temporary_ = temporary;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot_write(path_, errno);
  temporary_.clear();
  return {};
}

Result<> OutputFile::commit() {
  if (!direct_) {
    ::fchmod(descriptor_, 0644);
    TRY(name_it());
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot_write(path_, errno);
  return {};
}

}  // namespace frx
