// The brief of a profile: the three files of `frx explain` and --explain.
#pragma once

#include <memory>
#include <string>

#include "cli/io.h"
#include "render/explain.h"
#include "report/analyse.h"
#include "report/code_analyst.h"

namespace frx::cli {

struct ExplainOptions {
  std::string directory = ".";
  std::string source_path;  // CUDA source, or ""
};

// What a brief is made of. Without a source that can be read and analysed it is made of the profile alone.
class Brief {
 public:
  // Warns of a source that cannot be read or analysed. `report` has to live longer than the brief.
  Brief(const report::NcuReport& report, const std::string& source_path, const report::AnalysisOptions& analysis, Io& io);

  // For a language model: what frx_llm_prompt.txt holds.
  std::string prompt() const;
  // Writes frx_summary.txt, frx_llm_prompt.txt and frx_evidence.json.
  Result<> write_into(const std::string& directory) const;

 private:
  Result<> inspect_source(report::AnalysisOptions analysis);

  render::ExplainInput input_;
  std::unique_ptr<report::CodeAnalyst> analyst_;  // what the reports point into
  std::unique_ptr<report::CudaReport> code_;
  std::unique_ptr<report::EvidenceReport> together_;
};

// The same three files about PTX alone, with the CUDA source at `source_path` in the prompt, if it can be read.
Result<> write_ptx_brief(const report::PtxReport& report, const ExplainOptions& options, Io& io);

}  // namespace frx::cli
