// What the three files of `frx explain` for a profile are made of. The third, frx_evidence.json (`frx_explain_v0`), is
// put_explanation() of compose/payloads.h.
#pragma once

#include <string>

#include "compose/parts.h"
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
Document explain_summary_document(const ExplainInput& input);

// frx_llm_prompt.txt. Names, notes and source come from files: they stand in fences, declared as data.
Document explain_prompt_document(const ExplainInput& input);

}  // namespace frx::compose
