#include "cli/trace_analysis.h"

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/json_output.h"
#include "compose/ranks_report.h"
#include "compose/run_brief.h"
#include "compose/run_report.h"
#include "compose/trace_report.h"
#include "ingest/run_bundle/open_bundle.h"
#include "model/bundle_paths.h"
#include "report/summary_check.h"

namespace frx::cli {

// A trace is what it is; more than one rank is compared.
void print_traces(const report::RanksReport& report, const std::string& scope, bool as_json, Io& io) {
  if (report.ranks.size() > 1) {
    as_json ? write_json(io, "ranks", compose::ranks_json(report)) : io.out.write(compose::ranks_report_text(report, style_of(io)));
    return;
  }
  const report::TraceReport& trace = *report.ranks.front().trace;
  as_json ? write_json(io, "trace", compose::trace_json(trace)) : io.out.write(compose::trace_text(trace, scope, style_of(io)));
}

Result<> check_scope(const std::string& scope) {
  if (scope == "auto" || scope == "run" || scope == "steady_state") return {};
  return fail(ErrorKind::usage, "analyze: expected run, steady_state or auto as --scope, found '{}'", printable(scope));
}

void print_run(const report::RunReport& report, const std::string& scope, bool as_json, Io& io) {
  as_json ? write_json(io, "run", compose::run_json(report)) : io.out.write(compose::run_text(report, scope, style_of(io)));
}

Result<> write_run_summary(const report::RunReport& report, const std::string& folder) {
  TRY_ASSIGN(const ingest::RunBundle bundle, ingest::RunBundle::open(folder));
  const bool has_summary = bundle.has(model::bundle::derived_summary);
  if (has_summary && report.record.events == 0) return {};  // somebody's own, and no stream to make a better one of
  Json summary = compose::run_json(report);
  summary["source"] = report.name;
  summary["status"] = nullptr;   // not decided yet; metadata.json will say it
  summary["summary"] = nullptr;  // the one it takes the place of
  summary["notes"] = report.notes;
  TRY_ASSIGN(const std::vector<ingest::SummaryInput> inputs, report::inputs_of(bundle));
  summary["inputs"] = compose::summary_inputs_json(inputs);
  return write_file(folder + "/" + std::string(model::bundle::derived_summary), compose::json_text(summary));
}

Result<> write_run_brief(const report::RunReport& report, const std::string& folder) {
  const std::filesystem::path directory(folder);
  TRY(write_file(directory / "frx_summary.txt", compose::run_summary_text(report)));
  TRY(write_file(directory / "frx_llm_prompt.txt", compose::run_prompt_text(report)));
  return write_file(directory / "frx_evidence.json", compose::json_text(compose::run_evidence_json(report)));
}

}  // namespace frx::cli
