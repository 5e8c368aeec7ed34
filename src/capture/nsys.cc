#include "capture/nsys.h"

#include "capture/compiler_run.h"

namespace frx::capture {

Result<> export_with_nsys(const std::string& nsys, const std::string& report, const std::string& database, const Host& host) {
  constexpr std::size_t kept = std::size_t{1} << 16;
  TRY(run_compiler({nsys, "export", "--type", "sqlite", "--force-overwrite", "true", "--output", database}, report, host, kept));
  return {};
}

}  // namespace frx::capture
