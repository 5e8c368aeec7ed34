#include "cli/live_profile.h"

#include "capture/ncu.h"
#include "cli/analysis.h"

namespace frx::cli {

Result<const report::NcuReport*> profile_now(const LiveProfile& live, report::Analyst& analyst, Io& io) {
  capture::NcuRequest request = live.request;
  TRY_ASSIGN(const std::optional<model::ComputeCapability> gpu, live_capability(live.gpu_model, analyst.knowledge(), io));
  request.counters = counters_of_preset(live.preset, analyst.knowledge(), gpu);
  if (!live.is_quiet) io.err.write(fmt::format("running {}\n", capture::shell_line(capture::ncu_command(request))));
  io.out.flush();
  TRY_ASSIGN(const capture::NcuCapture captured, capture::profile_with_ncu(request, *io.host));
  for (const std::string& note : captured.notes) io.err.write(fmt::format("note: {}\n", note));
  if (!live.keep_as.empty()) TRY(captured.save_as(live.keep_as));
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(captured.csv_path));
  const std::string name = live.keep_as.empty() ? "ncu " + capture::shell_line(request.workload) : live.keep_as;
  return analyst.analyse(name, *source);
}

}  // namespace frx::cli
