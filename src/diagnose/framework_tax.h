// The Framework Abstraction Tax (fat_v1): how much of a step the GPU idles for reasons other than the pipeline, weighted by how finely the
// work is cut into kernels.
//
// overhead_idle = 1 - busy - input - copies - waits          (of those that were found to be bottlenecks)
//   score = 100 * overhead_idle * (0.5 + 0.5 * fragmentation)
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/run_facts.h"

namespace frx::diagnose {

struct TaxContributor {
  std::string_view name;
  int points = 0;         // rank them; they do not add up to the score
  bool inferred = false;  // an opportunity, not a measurement
};

// The lower bounds of the scores of each severity (docs/contract.md).
struct TaxLimits {
  double high = 45, medium = 20;
};

struct FrameworkTax {
  int score = 0;                                                // 0 to 100
  std::string_view severity;                                    // high, medium, low
  bool is_worth_naming = false;                                 // not low
  double gpu_active = 0, overhead_idle = 0, pipeline_idle = 0;  // fractions of a step
  std::vector<TaxContributor> contributors;                     // most points first; none unless it is worth naming
};

// Absent without a recording of kernels, or when it is unknown how busy the GPU was.
std::optional<FrameworkTax> framework_tax(const model::RunFacts& facts, const TaxLimits& limits = {});

}  // namespace frx::diagnose
