// The processes of a recording: a file may be made of the recordings of several.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline.h"

namespace frx::derive::trace {

// By track: the number of its process, from 0 in the order of the tracks. Tracks of GPUs have the device in place of the process, so
// that of them the numbers say nothing.
std::vector<std::uint32_t> processes_of_tracks(const model::Timeline& timeline);

}  // namespace frx::derive::trace
