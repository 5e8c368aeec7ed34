#include "cli/trace_analysis.h"

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "model/bundle_paths.h"
#include "render/run_brief.h"
#include "render/run_report.h"
#include "render/trace_report.h"
#include "report/run_analyst.h"
#include "report/trace_analyst.h"

namespace frx::cli {

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

namespace {

Result<> check_scope(const std::string& scope) {
  if (scope == "auto" || scope == "run" || scope == "steady_state") return {};
  return fail(ErrorKind::usage, "analyze: expected run, steady_state or auto as --scope, found '{}'", printable(scope));
}

Failure no_steady_state(const std::string& path, std::string_view what) {
  return fail(ErrorKind::not_enough, "{} too few completed steps for a steady state", what).at(path).hint("--scope run");
}

}  // namespace

Result<int> analyse_trace(const std::string& path, const std::string& scope, bool as_json, const report::AnalysisOptions& analysis,
                          Io& io) {
  TRY(check_scope(scope));
  TRY_ASSIGN(const std::unique_ptr<report::TraceAnalyst> analyst, report::TraceAnalyst::create(analysis.data_directory, {analysis.arch_profile, analysis.gpu_model}));
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  Progress progress(io, path, source->size_hint());
  TRY_ASSIGN(const std::unique_ptr<report::TraceReport> report, analyst->analyse(path, *source, progress.callback()));
  if (scope == "steady_state" && !report->steady_state) return no_steady_state(path, "the trace has");
  if (as_json) {
    write_json(io, "trace", render::trace_json(*report));
  } else {
    io.out.write(render::trace_text(*report, scope, style_of(io)));
  }
  return 0;
}

Result<int> analyse_run(const std::string& path, const std::string& scope, bool as_json, const report::AnalysisOptions& analysis, Io& io) {
  TRY(check_scope(scope));
  TRY_ASSIGN(const AnalysedRun run, analysed_run(path, analysis));
  if (scope == "steady_state" && !run.report->steady_state) return no_steady_state(path, "the run has");
  if (as_json) {
    write_json(io, "run", render::run_json(*run.report));
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
