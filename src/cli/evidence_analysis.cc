#include "cli/evidence_analysis.h"

#include <memory>

#include "base/files.h"
#include "cli/code_analysis.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "cli/trace_analysis.h"
#include "render/evidence.h"
#include "report/code_analyst.h"
#include "report/evidence.h"
#include "report/ranks_analyst.h"
#include "report/trace_analyst.h"

namespace frx::cli {
namespace {

Result<> add_run(const std::string& path, const report::AnalysisOptions& analysis, report::Evidence& evidence) {
  TRY_ASSIGN(const AnalysedRun run, analysed_run(path, analysis));
  evidence.add(path, run.report->scope().diagnosis);
  return {};
}

// One trace, or a folder with those of the ranks of a run.
Result<> add_traces(const std::string& path, const report::AnalysisOptions& analysis, report::Evidence& evidence) {
  TRY_ASSIGN(const auto analyst, report::TraceAnalyst::create(analysis.data_directory, {analysis.arch_profile, analysis.gpu_model}));
  std::vector<std::string> paths = traces_of_folder(path);
  if (paths.empty()) paths.push_back(path);
  std::vector<report::TraceFile> files;
  for (const std::string& one : paths) files.push_back({one, [one] { return open_file(one); }});
  TRY_ASSIGN(const std::unique_ptr<report::RanksReport> ranks, report::analyse_ranks(*analyst, path, files));
  const bool is_alone = ranks->ranks.size() < 2;
  evidence.add(path, is_alone ? ranks->ranks.front().trace->scope().diagnosis : ranks->scope.diagnosis);
  return {};
}

Result<> add_profile(const std::string& path, const report::AnalysisOptions& analysis, Io& io, report::Evidence& evidence) {
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(analysis));
  TRY_ASSIGN(const report::NcuReport* profile, analyse_file(*analyst, path, io));
  evidence.add(*profile);
  return {};
}

}  // namespace

Result<int> analyse_layers(const std::vector<std::string>& targets, const CodeOptions& options, const report::AnalysisOptions& analysis,
                           Io& io) {
  report::Evidence evidence;
  TRY_ASSIGN(const std::unique_ptr<report::CodeAnalyst> analyst, report::CodeAnalyst::create(analysis));
  std::vector<std::string> code;
  for (const std::string& path : targets) {
    if (report::is_run_bundle(path)) {
      TRY(add_run(path, analysis, evidence));
    } else if (!traces_of_folder(path).empty()) {
      TRY(add_traces(path, analysis, evidence));
    } else if (is_code(path)) {
      code.push_back(path);
    } else if (is_trace(path)) {
      TRY(add_traces(path, analysis, evidence));
    } else {
      TRY(add_profile(path, analysis, io, evidence));
    }
  }
  TRY(add_code(code, options, *analyst, io, evidence));
  TRY_ASSIGN(const std::unique_ptr<report::EvidenceReport> report, report::reconcile(std::move(evidence), analyst->knowledge()));
  if (options.format == "json") {
    write_json(io, "reconciliation", render::evidence_json(*report));
  } else {
    io.out.write(render::evidence_text(*report, style_of(io)));
  }
  return 0;
}

}  // namespace frx::cli
