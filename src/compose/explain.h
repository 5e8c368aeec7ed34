// The three files of `frx explain` for a profile: a summary for people, a prompt for a language model,
// and the evidence as JSON.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "report/cuda_report.h"
#include "report/evidence.h"
#include "report/report.h"

namespace frx::compose {

struct ExplainInput {
  const report::NcuReport& report;
  std::string kernel_source_path;  // "" when none was given
  std::string kernel_source;
  // What the source shows, and what both say together; null without a source that could be analysed.
  const report::CudaReport* code = nullptr;
  const report::EvidenceReport* together = nullptr;
};

// frx_summary.txt
std::string explain_summary_text(const ExplainInput& input);

// frx_llm_prompt.txt. Names, notes and source come from files: they stand in fences, declared as data.
std::string explain_prompt_text(const ExplainInput& input);

// frx_evidence.json: `frx_explain_v0`.
Json explain_json(const ExplainInput& input);

}  // namespace frx::compose
