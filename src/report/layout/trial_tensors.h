// Compares the outputs of two runs of a layout trial, element by element.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "knowledge/trial_rules.h"
#include "report/layout/trial_side.h"

namespace frx::report {

struct OutputDifference {
  std::string name, dtype;             // of the tensor
  std::string mismatch;                // why the two cannot be compared, in words: "sizes differ"; "" when they can
  std::uint64_t elements = 0;          // compared: those that are finite in the baseline
  std::uint64_t outside = 0;           // further apart than the tolerance
  std::uint64_t newly_not_finite = 0;  // NaN or infinite where the baseline is not
  double largest_difference = 0;       // |x - y|
  double largest_value = 0;            // |y|, of the baseline
  double largest_times_tolerance = 0;  // |x - y| / (atol + rtol |y|); of types without a tolerance: 0 when equal, else infinite
  double share_of_largest = 0;         // of the largest value, by which all elements may differ instead; 0: no such limit

  double share_within() const { return elements == 0 ? 1 : 1 - static_cast<double>(outside) / static_cast<double>(elements); }
};

// `before` and `after`: the bytes of their files. `tolerance` null: they have to be equal. `longest_sum`: terms of the longest sum that the
// model computes; absent: not known. An unknown type is a mismatch. O(elements).
OutputDifference compare_outputs(const TrialTensor& baseline, std::string_view before, const TrialTensor& other, std::string_view after,
                                 const knowledge::ToleranceRule* tolerance, std::optional<double> longest_sum = {});

}  // namespace frx::report
