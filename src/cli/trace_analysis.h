// frx analyze on traces of the PyTorch profiler and on run bundles.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/io.h"
#include "report/analyse.h"
#include "report/run_analyst.h"

namespace frx::cli {

// By its suffix (.json, .json.gz), or when it begins like JSON, packed or not.
bool is_trace(const std::string& path);

// `scope`, here and below: run, steady_state or auto.
Result<int> analyse_trace(const std::string& path, const std::string& scope, const std::string& format, const report::AnalysisOptions& analysis, Io& io);

// The traces of the ranks of one run; of a folder, those that lie in it. One alone is analysed as it is.
Result<int> analyse_traces(const std::string& source, const std::vector<std::string>& paths, const std::string& scope, const std::string& format,
                           const report::AnalysisOptions& analysis, Io& io);
// None when the path is no folder, or one of code.
std::vector<std::string> traces_of_folder(const std::string& path);

Result<int> analyse_run(const std::string& path, const std::string& scope, const std::string& format, const report::AnalysisOptions& analysis, Io& io);

// A run that was analysed, for everything that is written about it.
struct AnalysedRun {
  std::unique_ptr<report::RunAnalyst> analyst;  // what the report points into
  std::unique_ptr<report::RunReport> report;
  bool has_summary = false;  // the bundle brought one along
};
// Fails with not_enough when the run has nothing to analyse.
Result<AnalysedRun> analysed_run(const std::string& path, const report::AnalysisOptions& analysis);

// Writes derived/summary.json into the folder of the run: the documented summary, made anew from the event stream, or from
// the profiler's trace when nobody made one.
Result<> write_run_summary(const AnalysedRun& run, const std::string& folder);

// Writes the training brief (frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json) into a folder.
Result<> write_run_brief(const report::RunReport& report, const std::string& folder);

}  // namespace frx::cli
