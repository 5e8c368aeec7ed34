// The times of a timeline by name: each kernel, copy, fill or call, whatever launched it.
#pragma once

#include <initializer_list>
#include <vector>

#include "model/recorded_times.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// Of the events of these kinds, by time and then by name; none is left out. O(n + k log k) in the events and their names.
std::vector<model::NameTimes> times_by_name(const model::Timeline& timeline, std::initializer_list<model::EventKind> kinds);

}  // namespace frx::derive::trace
