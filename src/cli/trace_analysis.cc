#include "cli/trace_analysis.h"

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/code_analysis.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "model/bundle_paths.h"
#include "render/ranks_report.h"
#include "render/run_brief.h"
#include "render/run_report.h"
#include "render/trace_report.h"
#include "report/ranks_analyst.h"
#include "report/run_analyst.h"
#include "report/trace_analyst.h"

namespace frx::cli {
namespace {

// A trace is what it is; more than one rank is compared.
void print(const report::RanksReport& report, const std::string& scope, bool as_json, Io& io) {
  if (report.ranks.size() > 1) {
    as_json ? write_json(io, "ranks", render::ranks_json(report)) : io.out.write(render::ranks_report_text(report, style_of(io)));
    return;
  }
  const report::TraceReport& trace = *report.ranks.front().trace;
  as_json ? write_json(io, "trace", render::trace_json(trace)) : io.out.write(render::trace_text(trace, scope, style_of(io)));
}

Result<> check_scope(const std::string& scope) {
  if (scope == "auto" || scope == "run" || scope == "steady_state") return {};
  return fail(ErrorKind::usage, "analyze: expected run, steady_state or auto as --scope, found '{}'", printable(scope));
}

Failure no_steady_state(const std::string& path, std::string_view what) {
  return fail(ErrorKind::not_enough, "{} too few completed steps for a steady state", what).at(path).hint("--scope run");
}

}  // namespace

bool is_trace(const std::string& path) {
  for (const std::string_view suffix : {".json", ".json.gz", ".json.zst"}) {
    if (path.size() > suffix.size() && equals_ignoring_case(std::string_view(path).substr(path.size() - suffix.size()), suffix))
      return true;
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // looking into a pipe would take what is in it
  const Result<std::unique_ptr<ByteSource>> source = open_file(path);
  return source && report::may_be_trace(**source);
}

Result<int> analyse_trace(const std::string& path, const std::string& scope, bool as_json, const report::AnalysisOptions& analysis,
                          Io& io) {
  return analyse_traces(path, {path}, scope, as_json, analysis, io);
}

Result<int> analyse_traces(const std::string& source, const std::vector<std::string>& paths, const std::string& scope, bool as_json,
                           const report::AnalysisOptions& analysis, Io& io) {
  TRY(check_scope(scope));
  TRY_ASSIGN(const std::unique_ptr<report::TraceAnalyst> analyst,
             report::TraceAnalyst::create(analysis.data_directory, {analysis.arch_profile, analysis.gpu_model}));
  std::vector<report::TraceFile> files;
  for (const std::string& path : paths) files.push_back({path, [path] { return open_file(path); }});
  std::optional<Progress> progress;
  const auto watch = [&](const std::string& name, std::uint64_t bytes) { return progress.emplace(io, name, bytes).callback(); };
  TRY_ASSIGN(const std::unique_ptr<report::RanksReport> report, report::analyse_ranks(*analyst, source, files, watch));
  progress.reset();
  if (scope == "steady_state" && !report->ranks[report->answering].trace->steady_state) return no_steady_state(source, "the trace has");
  print(*report, scope, as_json, io);
  return 0;
}

std::vector<std::string> traces_of_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? report::traces_in(path, has_code_suffix) : std::vector<std::string>();
}

Result<int> analyse_run(const std::string& path, const std::string& scope, bool as_json, const report::AnalysisOptions& analysis, Io& io) {
  TRY(check_scope(scope));
  TRY_ASSIGN(const AnalysedRun run, analysed_run(path, analysis));
  if (scope == "steady_state" && !run.report->steady_state) return no_steady_state(path, "the run has");
  if (as_json) {
    write_json(io, "run_bundle", render::run_json(*run.report));
  } else {
    io.out.write(render::run_text(*run.report, scope, style_of(io)));
  }
  return 0;
}

Result<AnalysedRun> analysed_run(const std::string& path, const report::AnalysisOptions& analysis) {
  AnalysedRun run;
  TRY_ASSIGN(run.analyst, report::RunAnalyst::create(analysis.data_directory, {analysis.arch_profile, analysis.gpu_model}));
  TRY_ASSIGN(const ingest::RunBundle bundle, ingest::RunBundle::open(path));
  run.has_summary = bundle.has(model::bundle::derived_summary);
  TRY_ASSIGN(run.report, run.analyst->analyse(bundle));
  return run;
}

Result<> write_run_summary(const AnalysedRun& run, const std::string& folder) {
  if (run.has_summary && run.report->record.events == 0) return {};  // somebody's own, and no stream to make a better one of
  Json summary = render::run_json(*run.report);
  summary["source"] = run.report->name;
  summary["status"] = nullptr;   // not decided yet; metadata.json will say it
  summary["summary"] = nullptr;  // the one it takes the place of
  summary["notes"] = run.report->notes;
  TRY_ASSIGN(const ingest::RunBundle bundle, ingest::RunBundle::open(folder));
  TRY_ASSIGN(const std::vector<ingest::SummaryInput> inputs, report::inputs_of(bundle));
  summary["inputs"] = render::summary_inputs_json(inputs);
  return write_file(folder + "/" + std::string(model::bundle::derived_summary), render::json_text(summary));
}

Result<> write_run_brief(const report::RunReport& report, const std::string& folder) {
  const std::filesystem::path directory(folder);
  TRY(write_file(directory / "frx_summary.txt", render::run_summary_text(report)));
  TRY(write_file(directory / "frx_llm_prompt.txt", render::run_prompt_text(report)));
  return write_file(directory / "frx_evidence.json", render::json_text(render::run_evidence_json(report)));
}

}  // namespace frx::cli
