#include "support/corpus.h"

#include <cstdlib>

namespace frx::testing {

std::optional<std::filesystem::path> corpus() {
  namespace fs = std::filesystem;
  const char* named = std::getenv("FRX_CORPUS");
  const fs::path folder = named != nullptr && *named != '\0' ? fs::path(named) : fs::path(FRX_REPOSITORY) / "../shared/corpus";
  std::error_code error;
  if (!fs::is_directory(folder, error)) return std::nullopt;
  return fs::canonical(folder, error);
}

}  // namespace frx::testing
