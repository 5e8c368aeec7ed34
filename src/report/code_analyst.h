// From code to answers: the pipeline for PTX, in the order of the folders.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "advise/catalogue.h"
#include "base/result.h"
#include "ingest/ptx/categories.h"
#include "knowledge/code_labels.h"
#include "knowledge/code_rules.h"
#include "knowledge/knowledge.h"
#include "report/analyse.h"
#include "report/code_report.h"

namespace frx::report {

// Everything a report of code points into lives here. May be asked from several threads at once.
class CodeAnalyst {
 public:
  static Result<std::unique_ptr<CodeAnalyst>> create(const AnalysisOptions& options);

  const knowledge::Knowledge& knowledge() const { return knowledge_; }

  // `compiled`: what a compiler made of the kernels, when one was asked. Fails on what is no PTX.
  Result<std::unique_ptr<PtxReport>> analyse_ptx(std::string name, std::string_view text,
                                                 diagnose::CompiledKernels compiled = {}) const;

 private:
  CodeAnalyst() = default;

  AnalysisOptions options_;
  knowledge::Knowledge knowledge_;
  std::unique_ptr<advise::Catalogue> catalogue_;
  std::unique_ptr<ingest::ptx::InstructionSet> instructions_;
  knowledge::CodeRules ptx_rules_;
  knowledge::CodeLabels ptx_labels_;
  std::string gpu_name_, gpu_sm_version_;  // from --gpu-model
};

}  // namespace frx::report
