// The parts of GPU time that reports show, and their names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "derive/trace/breakdown.h"

namespace frx::report {

struct TimePart {
  std::string_view name;
  std::int64_t ns;
};

// They sum to `time.span`.
std::array<TimePart, 9> parts_of(const derive::trace::GpuTime& time);

// The steps from `skipped` on, together.
derive::trace::GpuTime time_after(const derive::trace::GpuTrack& gpu, std::size_t skipped);

}  // namespace frx::report
