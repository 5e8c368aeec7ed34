// The three files of a brief about PTX alone: what can be said of a kernel before it ever ran (docs/contract.md, section 4.5).
#pragma once

#include <string>

#include "render/json_fwd.h"
#include "report/code_report.h"

namespace frx::render {

struct PtxBrief {
  const report::PtxReport& report;
  std::string kernel_source_path, kernel_source;  // "" when none was given
};

// frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json (frx_explain_v0; what only a profile knows is empty or null in it).
std::string ptx_brief_summary(const PtxBrief& brief);
std::string ptx_brief_prompt(const PtxBrief& brief);
Json ptx_brief_json(const PtxBrief& brief);

}  // namespace frx::render
