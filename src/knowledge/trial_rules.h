// The limits of a trial of a layout change: data/layout_trial/gates.yaml, and the policy that a user narrows them with.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"

namespace frx::knowledge {

enum class LayoutRisk : std::uint8_t { low, medium, high };
std::string_view name_of(LayoutRisk risk);

struct ToleranceRule {
  std::string_view dtype;  // "float32", or "tf32"
  double rtol = 0, atol = 0;
  // Share of the largest value of a tensor by which any of its elements may differ instead; 0: there is no such limit.
  double of_largest = 0;
  bool per_root_of_terms = false;  // that share is multiplied by the root of the number of terms of the longest sum,
  double at_most = 0;              // and is then this one at most
};

// What may be changed at all, and what a change has to bring.
struct LayoutPolicy {
  std::vector<std::string> changes;  // kinds of change that may be tried
  double least_gain_pct = 0;         // of throughput
  LayoutRisk largest_risk = LayoutRisk::high;
  bool allow_distributed = false, allow_custom_ops = false;
};

struct TrialRules {
  std::size_t fewest_blocks = 0, fewest_windows = 0;
  double share_within = 0, times_tolerance = 0, times_self_noise = 0, largest_self_noise = 0;  // shares are from 0 to 1
  std::vector<ToleranceRule> tolerances;
  double loss_worse = 0, loss_band = 0;
  std::vector<std::string_view> relayout, fallbacks;  // parts of names of kernels, lower case
  double times_noise = 0, memory_more = 0, memory_of_device = 0;
  std::vector<std::string_view> messages, wrappers;  // of distributed training
  std::size_t groups = 0;                            // of processes, that are no custom ones
  std::vector<std::string_view> framework;           // namespaces of operators
  LayoutRisk contiguous = LayoutRisk::low, memory_format = LayoutRisk::medium;
  LayoutPolicy policy;

  // nullptr: values of this type have to be equal.
  const ToleranceRule* tolerance_of(std::string_view dtype) const;

  // Views point into the library. Errors name file and line.
  static Result<TrialRules> load(const Library& library);
};

// A policy file: YAML with members of `policy` of the data; what it does not name is as in `base`. Malformed, with file and line: a member
// that there is not, or a value that it cannot have.
Result<LayoutPolicy> read_layout_policy(const std::string& path, const LayoutPolicy& base);

}  // namespace frx::knowledge
