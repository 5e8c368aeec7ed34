#include "report/run_traces.h"

#include "base/text.h"
#include "model/bundle_paths.h"
#include "report/ranks_analyst.h"

namespace frx::report {
namespace {

namespace paths = model::bundle;

std::string profiler_trace_of(const ingest::RunBundle& bundle) {
  if (bundle.has(paths::profiler_trace)) return std::string(paths::profiler_trace);
  for (const ingest::BundleMember& member : bundle.members()) {
    if (paths::is_profiler_trace(member.path)) return member.path;
  }
  return {};
}

Result<> read_trace(const TraceAnalyst& traces, const ingest::RunBundle& bundle, const std::string& path, Layouts layouts,
                    RunReport& report) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(std::string_view(path)));
  Result<std::unique_ptr<TraceReport>> trace = traces.analyse(path, *source, {}, layouts);
  if (trace) {
    report.trace = std::move(*trace);
  } else {
    report.notes.push_back(fmt::format("{} is left out: {}", printable(path), trace.error().message));
  }
  return {};
}

}  // namespace

Result<> read_traces(const TraceAnalyst& traces, const ingest::RunBundle& bundle, Layouts layouts, RunReport& report) {
  std::vector<TraceFile> files;
  for (const ingest::BundleMember& member : bundle.members()) {
    if (!paths::is_profiler_trace(member.path)) continue;
    files.push_back(trace_file(
        member.path, [&bundle, path = member.path] { return bundle.open(std::string_view(path)); }, layouts));
  }
  if (files.empty()) return {};
  Result<std::unique_ptr<RanksReport>> ranks = analyse_ranks(traces, bundle.path(), files, {}, layouts);
  if (!ranks) {
    if (files.size() > 1) report.notes.push_back(fmt::format("of {} traces only one counts: {}", files.size(), ranks.error().message));
    return read_trace(traces, bundle, profiler_trace_of(bundle), layouts, report);
  }
  report.trace = (*ranks)->ranks[(*ranks)->answering].trace;
  if ((*ranks)->ranks.size() < 2) return {};
  report.ranks = std::move(*ranks);
  report.notes.insert(report.notes.end(), report.ranks->notes.begin(), report.ranks->notes.end());
  return {};
}

}  // namespace frx::report
