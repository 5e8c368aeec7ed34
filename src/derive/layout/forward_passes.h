// Forward passes of a whole model, where the Python frames of modules were recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/timeline.h"

namespace frx::derive::layout {

// Of modules of one name: do the calls of each thread stand for themselves?
enum class PassesOf : std::uint8_t { each_thread, all_threads };

// The calls (rows of the timeline, as they are ordered there) of the outermost module that takes most of the time, among those that
// `counts` accepts. Empty without modules. O(n log n) in the ranges of modules.
std::vector<std::uint32_t> forward_passes(const model::Timeline& timeline, PassesOf of,
                                          const std::function<bool(std::uint32_t row)>& counts = {});

}  // namespace frx::derive::layout
