// Whether a kernel uses the tensor cores, and whether it could (docs/contract.md, section 10.1).
//
// A tensor pipe that idles says nothing about work that is no matrix product: such a kernel is not eligible. What was not measured
// is unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/device.h"
#include "model/readings.h"

namespace frx::derive {

// What the name of a kernel says of its work.
struct MatrixWork {
  bool is_matrix = false, is_half_precision = false;
};

struct TensorUse {
  std::optional<double> active_pct;  // of the tensor pipe; absent: not measured, and so is what follows from it
  bool is_eligible = false;          // matrix work
  std::optional<bool> is_active, falls_back_to_cuda_cores, uses_mixed_precision;
  std::optional<bool> could_use_mixed_precision;  // also unknown where the GPU is
  std::string_view efficiency = "no_data";        // no_data, inactive, underutilized, efficient
  std::vector<std::string> remarks;
};

TensorUse tensor_use_of(const model::Readings& readings, const MatrixWork& work, const Device& device);

}  // namespace frx::derive
