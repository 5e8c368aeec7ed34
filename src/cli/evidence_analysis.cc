#include "cli/evidence_analysis.h"

#include <memory>

#include "base/files.h"
#include "cli/code_analysis.h"
#include "cli/ncu_analysis.h"
#include "cli/print_answer.h"
#include "cli/trace_analysis.h"
#include "compose/answers.h"
#include "report/code_analyst.h"
#include "report/evidence.h"
#include "report/trace_analyst.h"

namespace frx::cli {
namespace {

Result<> add_run(const std::string& path, const report::AnalysisOptions& analysis, report::Evidence& evidence) {
  TRY_ASSIGN(const AnalysedRun run, analysed_run(path, analysis));
  evidence.add(path, run.report->scope().diagnosis);
  return {};
}

Result<> add_trace(const std::string& path, const report::AnalysisOptions& analysis, Io& io, report::Evidence& evidence) {
  TRY_ASSIGN(const auto analyst, report::TraceAnalyst::create(analysis.data_directory, {analysis.arch_profile, analysis.gpu_model}));
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  Progress progress(io, path, source->size_hint());
  TRY_ASSIGN(const std::unique_ptr<report::TraceReport> trace, analyst->analyse(path, *source, progress.callback()));
  evidence.add(path, trace->scope().diagnosis);
  return {};
}

Result<> add_profile(const std::string& path, const report::AnalysisOptions& analysis, Io& io, report::Evidence& evidence) {
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(analysis));
  TRY_ASSIGN(const report::NcuReport* profile, analyse_file(*analyst, path, io));
  evidence.add(*profile);
  return {};
}

}  // namespace

Result<int> analyse_layers(const std::vector<std::string>& targets, const std::string& format, const report::AnalysisOptions& analysis, Io& io) {
  report::Evidence evidence;
  TRY_ASSIGN(const std::unique_ptr<report::CodeAnalyst> analyst, report::CodeAnalyst::create(analysis));
  std::vector<std::string> code;
  for (const std::string& path : targets) {
    if (report::is_run_bundle(path)) {
      TRY(add_run(path, analysis, evidence));
    } else if (is_code(path)) {
      code.push_back(path);
    } else if (is_trace(path)) {
      TRY(add_trace(path, analysis, io, evidence));
    } else {
      TRY(add_profile(path, analysis, io, evidence));
    }
  }
  TRY(add_code(code, *analyst, io, evidence));
  TRY_ASSIGN(std::shared_ptr<const report::EvidenceReport> report, report::reconcile(std::move(evidence), analyst->knowledge()));
  TRY(print_answer(io, compose::answer_of(std::move(report)), format));
  return 0;
}

}  // namespace frx::cli
