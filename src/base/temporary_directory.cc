#include "base/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace frx {

Result<TemporaryDirectory> TemporaryDirectory::make(const std::string& parent) {
  std::string path = parent + "/frx-XXXXXX";
  const SignalsHeld held;
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(ErrorKind::environment, "cannot make a temporary folder: {}", std::strerror(errno))
        .at(parent)
        .hint("set TMPDIR to a folder you may write to");
  }
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) remove_tree(path_.c_str());
}

std::string TemporaryDirectory::keep() {
  noted_ = Leftover();
  return std::exchange(path_, {});
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), noted_(std::move(other.noted_)) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(noted_, other.noted_);
  return *this;
}

}  // namespace frx
