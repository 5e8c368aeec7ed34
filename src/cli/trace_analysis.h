// frx analyze on traces of the PyTorch profiler and on run bundles.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "report/analyse.h"

namespace frx::cli {

// By its suffix (.json, .json.gz), or when it begins like JSON, packed or not.
bool is_trace(const std::string& path);

Result<int> analyse_trace(const std::string& path, bool as_json, const report::AnalysisOptions& analysis, Io& io);

// `scope`: run, steady_state or auto.
Result<int> analyse_run(const std::string& path, const std::string& scope, bool as_json, const report::AnalysisOptions& analysis, Io& io);

// Writes derived/summary.json of the run in a folder: the documented summary, made anew from the event stream, or from the
// profiler's trace when nobody made one. True when there is one then; a run with nothing to analyse is no failure.
Result<bool> write_run_summary(const std::string& folder);

// Writes the training brief (frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json) into each of `folders`. Fails with
// not_enough when the run has nothing to analyse.
struct RunBrief {
  std::string primary, confidence, prompt;
};
Result<RunBrief> write_run_brief(const std::string& run, const std::vector<std::string>& folders, const std::string& data_directory);

}  // namespace frx::cli
