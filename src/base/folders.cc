#include "base/folders.h"

#include <algorithm>
#include <filesystem>

namespace frx {

namespace fs = std::filesystem;

bool lies_in(const std::string& path, std::span<const std::string> folders) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return !error && std::ranges::any_of(folders, [&](const std::string& folder) {
    const fs::path below = real.lexically_relative(folder);
    return !below.empty() && *below.begin() != "..";
  });
}

std::string link_out_of(const std::string& folder, std::span<const std::string> folders) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end; it != end && !error;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_symlink(ignored) && !lies_in(it->path().string(), folders)) return it->path().string();
  }
  return {};
}

}  // namespace frx
