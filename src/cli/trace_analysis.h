// What the commands say about traces of the PyTorch profiler and about run bundles.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io.h"
#include "report/ranks_report.h"
#include "report/run_report.h"

namespace frx::cli {

// `scope`, here and below: run, steady_state or auto.
Result<> check_scope(const std::string& scope);

void print_traces(const report::RanksReport& report, const std::string& scope, bool as_json, Io& io);
void print_run(const report::RunReport& report, const std::string& scope, bool as_json, Io& io);

// Writes derived/summary.json into the folder of the run: the documented summary, made anew from the event stream, or from
// the profiler's trace when nobody made one.
Result<> write_run_summary(const report::RunReport& report, const std::string& folder);

// Writes the training brief (frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json) into a folder.
Result<> write_run_brief(const report::RunReport& report, const std::string& folder);

}  // namespace frx::cli
