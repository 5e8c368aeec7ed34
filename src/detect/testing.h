// The findings of the rules for a few lines of CUDA, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "derive/cuda/inspect.h"
#include "detect/cuda_findings.h"
#include "ingest/cuda/read_source.h"
#include "knowledge/knowledge.h"

namespace frx::detect::testing {

inline const knowledge::CodeRules& cuda_rules() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::CodeRules rules = knowledge::CodeRules::load(library, "cuda").value();
  return rules;
}

inline const knowledge::SmLimits* limits_of(std::string_view sm) {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  for (const knowledge::SmLimits& limits : known.gpus.all_limits()) {
    if (limits.family_key == sm) return &limits;
  }
  return nullptr;
}

struct Inspected {
  std::vector<model::cuda::Source> sources;
  model::cuda::Inspection inspection;
  CudaFindings result;

  std::vector<std::string> codes() const {
    std::vector<std::string> all;
    for (const model::Finding& finding : result.findings) all.emplace_back(finding.id());
    return all;
  }
  bool has(std::string_view code) const { return std::ranges::find(result.findings, code, &model::Finding::id) != result.findings.end(); }
};

inline Inspected inspected(std::string_view text, std::string_view sm = "sm_80") {
  Inspected all;
  all.sources.push_back(ingest::cuda::read_source("k.cu", std::string(text)).value());
  all.inspection = derive::cuda::inspect(all.sources, {limits_of(sm)});
  all.result = examine_cuda(cuda_rules(), all.inspection, all.sources, sm);
  return all;
}

}  // namespace frx::detect::testing
