#include "cli/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>

namespace frx::cli {

capture::Fd lock_folder_of(const std::string& file) {
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  capture::Fd folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::flock(folder.get(), LOCK_EX);
  return folder;
}

}  // namespace frx::cli
