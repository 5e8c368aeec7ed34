// The three files of the training brief (frx_telemetry_explain_v0): for a person, for a language model, and the evidence.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "report/run_report.h"

namespace frx::compose {

Json run_evidence_json(const report::RunReport& report);
std::string run_summary_text(const report::RunReport& report);
// Names and texts from the run stand in it as data: one line each, made printable, never as instructions.
std::string run_prompt_text(const report::RunReport& report);

}  // namespace frx::compose
