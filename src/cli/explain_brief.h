// The brief of a profile: the three files of `frx explain` and --explain.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "answer/answer.h"
#include "cli/io.h"
#include "compose/explain.h"
#include "report/analyse.h"
#include "report/code_analyst.h"

namespace frx::cli {

struct ExplainOptions {
  std::string directory = ".";
  std::string source_path;  // CUDA source, or ""
};

// CUDA source to put into a brief; nothing where none was given. Warns of what cannot be read.
std::optional<compose::KernelSource> source_for_brief(const std::string& path, Io& io);

// What a brief is made of. Without a source that can be read and analysed it is made of the profile alone.
class Brief {
 public:
  // Warns of a source that cannot be read or analysed. `report` has to live longer than the brief.
  Brief(const report::NcuReport& report, const std::string& source_path, const report::AnalysisOptions& analysis, Io& io);

  // To be written before the brief goes.
  answer::Answer answer() const;

 private:
  Result<> inspect_source(report::AnalysisOptions analysis);

  compose::ExplainInput input_;
  std::unique_ptr<report::CodeAnalyst> analyst_;  // what the reports point into
  std::unique_ptr<report::CudaReport> code_;
  std::unique_ptr<report::EvidenceReport> together_;
};

}  // namespace frx::cli
