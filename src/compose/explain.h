// What the three files of `frx explain` for a profile, and those about PTX alone, are made of. The third, frx_evidence.json
// (`frx_explain_v0`), is put_explanation() of compose/payloads.h.
#pragma once

#include <string>

#include "compose/parts.h"
#include "report/code_report.h"
#include "report/cuda_report.h"
#include "report/evidence.h"
#include "report/report.h"

namespace frx::compose {

// CUDA source beside what was analysed; empty when none was given.
struct KernelSource {
  std::string path, text;
};

struct ExplainInput {
  const report::NcuReport& report;
  KernelSource source = {};
  // What the source shows, and what both say together; null without a source that could be analysed.
  const report::CudaReport* code = nullptr;
  const report::EvidenceReport* together = nullptr;
};

// frx_summary.txt
Document explain_summary_document(const ExplainInput& input);

// frx_llm_prompt.txt. Names, notes and source come from files: they stand in fences, declared as data.
Document explain_prompt_document(const ExplainInput& input);

// The same about PTX alone: what can be said of a kernel before it ever ran (docs/contract.md, section 4.5).
struct PtxBrief {
  const report::PtxReport& report;
  KernelSource source = {};
};
Document ptx_summary_document(const PtxBrief& brief);
Document ptx_prompt_document(const PtxBrief& brief);

}  // namespace frx::compose
