// The parts of GPU time that reports show, and their names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/gpu_time.h"

namespace frx::report {

struct TimePart {
  std::string_view name;
  std::int64_t ns;
};

// They sum to `time.span`.
std::array<TimePart, 10> parts_of(const model::GpuTime& time);

// The longest idle gaps, the longest first.
std::vector<const model::IdleGap*> longest_gaps(const model::GpuSteps& gpu);

}  // namespace frx::report
