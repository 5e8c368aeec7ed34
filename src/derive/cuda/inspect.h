// The whole of static analysis of CUDA source: from files to kernels, launches, facts for the rules, and advice.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "knowledge/gpus.h"
#include "model/cuda_kernel.h"
#include "model/cuda_source.h"
#include "model/finding.h"

namespace frx::derive::cuda {

// What is known of the GPU that the code is for.
struct TargetGpu {
  const knowledge::SmLimits* limits = nullptr;  // without them occupancy is known only where it is low on all GPUs
  std::optional<double> sm_count = {};
  // Of all GPUs; may be empty. Called from several threads, for kernels with much shared memory where `limits` is null.
  std::function<std::vector<const knowledge::SmLimits*>()> of_all = {};
};

// The files are one program: a kernel of one file may be launched, and its functions defined, in another.
model::cuda::Inspection inspect(std::span<const model::cuda::Source> sources, const TargetGpu& gpu);

// The same, but each subject is judged as soon as it is known, and then discarded. Findings are in the order of subjects and have
// their snippets. A source whose syntax is packed is unpacked while it is analysed, and released once no later kernel can lead to it:
// then it has neither text nor syntax.
using Judge = std::function<std::vector<model::Finding>(const model::CodeSubject&)>;  // called from several threads
struct Judged {
  model::cuda::Inspection inspection;
  std::vector<model::Finding> findings;
};
Judged inspect_and_judge(std::span<model::cuda::Source> sources, const TargetGpu& gpu, const Judge& judge);

}  // namespace frx::derive::cuda
