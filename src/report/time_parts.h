// The parts of GPU time that reports show, and their names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/gpu_time.h"

namespace frx::report {

struct TimePart {
  std::string_view name;
  std::int64_t ns;
};

// They sum to `time.span`.
std::array<TimePart, 9> parts_of(const model::GpuTime& time);

}  // namespace frx::report
