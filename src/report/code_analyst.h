// The pipeline for code, in the order of the folders.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/catalogue.h"
#include "base/result.h"
#include "ingest/cuda/preprocessor.h"
#include "ingest/ptx/categories.h"
#include "knowledge/code_labels.h"
#include "knowledge/code_rules.h"
#include "knowledge/knowledge.h"
#include "model/compiler_log.h"
#include "report/analyse.h"
#include "report/code_report.h"
#include "report/cuda_report.h"

namespace frx::report {

// The compiled form of the kernels, for an architecture such as "sm_90a".
using PtxCompiler = std::function<Result<diagnose::CompiledKernels>(const std::string& architecture)>;

// From a log of ptxas: the kernels of `architecture`, of any one when that is "".
diagnose::CompiledKernels compiled_in_log(std::span<const model::PtxasFunction> log, std::string_view architecture,
                                          const std::string& source);

// Owns everything that a report of code points into. Can be called from several threads at once.
class CodeAnalyst {
 public:
  static Result<std::unique_ptr<CodeAnalyst>> create(const AnalysisOptions& options);

  const knowledge::Knowledge& knowledge() const { return expertise_->knowledge(); }
  const knowledge::CodeRules& cubin_rules() const { return cubin_rules_; }
  // The GPU of --gpu-model: "NVIDIA H100 (--gpu-model)" and its limits; "" and null without the option.
  std::string gpu() const { return gpu_name_.empty() ? "" : gpu_name_ + " (--gpu-model)"; }
  const knowledge::SmLimits* gpu_limits() const { return gpu_limits_; }
  // "sm_90" of that GPU, "" without.
  const std::string& gpu_architecture() const { return gpu_sm_version_; }

  // `compiler` is called once to compile the kernels; when it fails, the report notes it and continues without.
  Result<std::unique_ptr<PtxReport>> analyse_ptx(std::string name, model::ptx::Module module, const PtxCompiler& compiler = {}) const;
  // The same from text, which is freed after parsing. Fails on text that is no PTX.
  Result<std::unique_ptr<PtxReport>> analyse_ptx(std::string name, std::string text, const PtxCompiler& compiler = {}) const;
  // All files are one program: a kernel of one file may be launched in another. Fails on a file that cannot be read.
  Result<std::unique_ptr<CudaReport>> inspect_cuda(std::vector<std::pair<std::string, std::string>> names_and_texts) const;
  // The same, with each text requested when it is needed, from several threads: not all of them are in memory at once. Files that cannot
  // be read are left out and listed in the report, which may be all of them.
  using TextOf = std::function<Result<std::string>(std::size_t)>;                 // by number of the name
  using SurroundingsOf = std::function<ingest::cuda::Surroundings(std::size_t)>;  // what headers say of macros, by that number
  // The last `included` names are headers of which only functions, types and constants are used: they are no files of the report.
  Result<std::unique_ptr<CudaReport>> inspect_cuda(const std::vector<std::string>& names, const TextOf& text_of,
                                                   const SurroundingsOf& surroundings_of = {}, std::size_t included = 0) const;

 private:
  CodeAnalyst() = default;
  Result<> choose_gpu();
  std::string architecture_for(const PtxReport& report) const;

  AnalysisOptions options_;
  std::shared_ptr<const Expertise> expertise_;
  std::unique_ptr<ingest::ptx::InstructionSet> instructions_;
  knowledge::CodeRules ptx_rules_, cuda_rules_, cubin_rules_;
  knowledge::CodeLabels ptx_labels_;
  std::string gpu_name_, gpu_sm_version_;  // from --gpu-model
  const knowledge::SmLimits* gpu_limits_ = nullptr;
  std::optional<double> gpu_sm_count_;
  std::optional<knowledge::SmLimits> own_limits_;  // of --arch-profile
  std::vector<std::string> profile_notes_;         // what it changed or could not
};

}  // namespace frx::report
