// The diagnosis of a PTX file: the facts and findings of each kernel, and the labels that hold for the file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "derive/ptx/kernel_facts.h"
#include "derive/ptx/subject.h"
#include "detect/code_rules.h"
#include "knowledge/code_labels.h"
#include "knowledge/code_rules.h"
#include "model/finding.h"
#include "model/ptx_module.h"

namespace frx::diagnose {

struct PtxKernel {
  derive::ptx::KernelFacts facts;
  const derive::ptx::Compiled* compiled = nullptr;  // nullptr: no compiler was run
  bool probably_spills = false;
};

struct PtxDiagnosis {
  const model::ptx::Module* module = nullptr;
  std::vector<PtxKernel> kernels;        // entries, in the order of the file
  std::size_t device_functions = 0;      // with a body, besides the kernels
  std::vector<model::Finding> findings;  // most severe first
  std::vector<detect::RuleCount> asked;  // by rule
  model::CodeSubject run;                // facts over all kernels
  std::vector<model::Finding> labels;    // that hold for the file, strongest first; also unproven ones
  std::vector<model::Finding> others;    // labels that are clear, or inconclusive because a fact is missing
  std::string_view primary;              // "" when no proven or estimated label holds
};

struct PtxKnowledge {
  const knowledge::CodeRules* rules = nullptr;
  const knowledge::CodeLabels* labels = nullptr;
  std::string sm_version;  // "sm_90": selects the overrides of rules; "" for the plain rules
  derive::ptx::SmRegisters sm;
};

// Sorted by the name of the kernel.
using CompiledKernels = std::map<std::string, derive::ptx::Compiled, std::less<>>;

// The diagnosis points into the module, the knowledge and `compiled`, which outlive it. Uses all cores for
// large files.
PtxDiagnosis diagnose_ptx(const model::ptx::Module& module, const PtxKnowledge& known, const CompiledKernels& compiled);

}  // namespace frx::diagnose
