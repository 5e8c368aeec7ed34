// What the commands write about run bundles.
#pragma once

#include <string>

#include "base/result.h"
#include "report/run_report.h"

namespace frx::cli {

// run, steady_state or auto.
Result<> check_scope(const std::string& scope);

// Writes the training brief (frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json) into a folder.
Result<> write_run_brief(const report::RunReport& report, const std::string& folder);

}  // namespace frx::cli
