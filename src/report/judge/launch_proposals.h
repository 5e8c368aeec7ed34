// Launch shapes and features that a proposal names, held against what the GPU can do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/gpus.h"

namespace frx::report {

struct ProposalProblem {
  std::string said;           // "2048 threads per block"
  std::string message;        // "a block has at most 1024 threads"
  bool is_impossible = true;  // false: possible, and unlikely to help
};

// `limits`: of the GPU; without them only what no GPU can do is impossible. Numbers that are tile sizes of Triton are no blocks of threads.
std::vector<ProposalProblem> problems_of_proposal(std::string_view text, const knowledge::SmLimits* limits);

}  // namespace frx::report
