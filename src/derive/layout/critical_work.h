// Which GPU work a step waits for: less of it lets what comes after begin earlier.
//
// A piece of work counts for the time in which nothing else ran on its GPU, where the next piece had been launched before it ended, or the
// program waited for it. Where the GPU had run out of work and the program did not wait, the step is as long as the program takes to launch
// more, and shorter work shortens nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "derive/layout/layout_trace.h"

namespace frx::derive::layout {

class CriticalWork {
 public:
  // Nothing where no launch was recorded, or several GPUs work for the process. O(n log n) in the pieces of work and the calls. `trace`
  // outlives it.
  static std::optional<CriticalWork> of(const LayoutTrace& trace);

  // The share of the time of these pieces of work (indices) that a step waits for, 0 to 1; 0 where there are none.
  double share_of(std::span<const std::uint32_t> work) const;

 private:
  CriticalWork(const LayoutTrace& trace, const std::vector<std::uint32_t>& pieces);

  const LayoutTrace& trace_;
  std::vector<double> waited_ns_;  // by piece of work
};

}  // namespace frx::derive::layout
