// Findings about CUDA source: the rules are evaluated, each finding gets its line of code, and those are left out that a comment in the
// source says to ignore.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "knowledge/code_rules.h"
#include "model/cuda_kernel.h"
#include "model/cuda_source.h"

namespace frx::detect {

struct CudaFindings {
  std::vector<model::Finding> findings;  // in the order of every output
  std::size_t suppressed = 0;
};

// `sm_version`: "sm_90", or "" when unknown.
CudaFindings examine_cuda(const knowledge::CodeRules& rules, const model::cuda::Inspection& inspection,
                          std::span<const model::cuda::Source> sources, std::string_view sm_version);

// The same from the results of examine() about the subjects, one after the other.
CudaFindings settled(std::vector<model::Finding> found, std::span<const model::cuda::Source> sources);

}  // namespace frx::detect
