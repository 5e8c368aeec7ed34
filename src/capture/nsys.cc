#include "capture/nsys.h"

#include "capture/compiler_run.h"

namespace frx::capture {

Result<> export_with_nsys(const std::string& report, const std::string& database, const Host& host) {
  constexpr std::size_t kept = std::size_t{1} << 16;
  const std::optional<std::string> nsys = host.program("nsys");
  if (!nsys) {
    return fail(ErrorKind::environment, "a report of Nsight Systems is read as an export, and nsys is not on this machine")
        .at(report)
        .hint("where nsys is: nsys export --type sqlite REPORT.nsys-rep, and give the .sqlite file");
  }
  TRY(run_compiler({*nsys, "export", "--type", "sqlite", "--force-overwrite", "true", "--output", database}, report, host, kept));
  return {};
}

}  // namespace frx::capture
