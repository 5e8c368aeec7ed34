// What a sampler saw of a GPU at one moment.
#pragma once

#include <cstdint>
#include <optional>

namespace frx::model {

struct GpuSample {
  std::int32_t index = 0;
  std::optional<std::int64_t> time_ns;  // of the same clock as the steps
  std::optional<double> utilization_pct, memory_utilization_pct;
  std::optional<double> memory_used, memory_total;  // bytes
};

}  // namespace frx::model
