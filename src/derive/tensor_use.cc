#include "derive/tensor_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

// Documented limits, in percent of the pipe's time or of the issue slots.
constexpr double active_from = 5, mixed_from = 10, efficient_from = 50, computes_from = 20;

std::optional<bool> knows_half_precision(const Device& device) {
  if (!device.limits()) return std::nullopt;
  return std::ranges::any_of(device.limits()->features, [](std::string_view feature) { return feature == "bf16" || feature == "fp8"; });
}

// Whether it executes enough to be computing elsewhere.
std::optional<bool> computes_elsewhere(const model::Readings& readings) {
  const std::optional<double> fma = readings.value(metrics::pipe_fma_pct), issue = readings.value(metrics::issue_slot_utilization_pct);
  if (!fma && !issue) return std::nullopt;
  return std::max(fma.value_or(0), issue.value_or(0)) > computes_from;
}

std::string_view efficiency_of(const TensorUse& use) {
  if (!use.active_pct) return "no_data";
  if (*use.active_pct > efficient_from) return "efficient";
  if (*use.is_active) return "underutilized";
  return use.is_eligible ? "inactive" : "no_data";
}

void add_remarks(TensorUse& use) {
  if (use.is_active.value_or(false))
    use.remarks.push_back(fmt::format("the tensor pipe is busy for {:.1f} % of the time", *use.active_pct));
  if (use.falls_back_to_cuda_cores.value_or(false)) use.remarks.emplace_back("matrix work that runs on the CUDA cores");
  if (use.could_use_mixed_precision.value_or(false))
    use.remarks.emplace_back("half precision would open the faster tensor pipes of this GPU");
}

}  // namespace

TensorUse tensor_use_of(const model::Readings& readings, const MatrixWork& work, const Device& device) {
  TensorUse use;
  use.active_pct = readings.value(metrics::tensor_pct);
  use.is_eligible = work.is_matrix;
  if (use.active_pct) {
    use.is_active = *use.active_pct > active_from;
    use.uses_mixed_precision = *use.active_pct > mixed_from;
    const std::optional<bool> elsewhere = computes_elsewhere(readings);
    if (!use.is_eligible || *use.is_active) {
      use.falls_back_to_cuda_cores = false;
    } else {
      use.falls_back_to_cuda_cores = elsewhere;
    }
    const std::optional<bool> gpu = knows_half_precision(device);
    if (!use.is_eligible || *use.uses_mixed_precision || work.is_half_precision) {
      use.could_use_mixed_precision = false;
    } else {
      use.could_use_mixed_precision = gpu;
    }
  }
  use.efficiency = efficiency_of(use);
  add_remarks(use);
  return use;
}

}  // namespace frx::derive
