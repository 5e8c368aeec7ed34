// The pages of the training brief; its evidence is put_run_brief() of compose/payloads.h (frx_telemetry_explain_v0).
#pragma once

#include "compose/parts.h"
#include "report/run_report.h"

namespace frx::compose {

// frx_summary.txt
Document run_summary(const report::RunReport& report);
// frx_llm_prompt.txt. Names and texts from the run stand in it as data: one line each, made printable, never as instructions.
Document run_prompt(const report::RunReport& report);

}  // namespace frx::compose
