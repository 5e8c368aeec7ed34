// The finished answer about some CUDA source files, which are analysed as one program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "detect/code_rules.h"
#include "model/cuda_kernel.h"
#include "model/finding.h"

namespace frx::report {

struct UnreadFile {
  std::string path;
  Error error;
};

struct SourceText {
  std::string path, text;
};

struct CudaReport {
  std::vector<std::string> files;
  std::vector<UnreadFile> unread;  // left out: what is in them is unknown
  std::string gpu;                 // "NVIDIA H100 (--gpu-model)", "" when none was named
  model::cuda::Inspection inspection;
  std::vector<model::Finding> findings;              // most severe first
  std::vector<model::Finding> withheld;              // of the pedantic tier, in the same order, where they were not asked for
  model::Tier last_shown = model::Tier::by_default;  // findings of later tiers are withheld
  std::vector<detect::RuleCount> asked;              // by rule
  std::size_t suppressed = 0;                        // by comments in the source
  std::size_t not_understood = 0;                    // places in the files that were read around
  bool held_against_ptx = false;                     // for at least one of the files
  std::vector<std::string> notes;
  std::vector<SourceText> texts;  // of files with findings, where figures are wanted; the first megabytes of them
};

}  // namespace frx::report
