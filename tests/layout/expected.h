// From what happened in a program to what an advisor has to find in a recording of it.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "layout/faulty_trace.h"

namespace frx::testing::layout {

// Detectors that have the evidence they need (specification, 5): inputs of operators for all but the counts of calls and of views.
std::set<std::string_view> assessable_detectors(const Recording& recording);

// What happened in `steps`, which are those that an advisor looks at.
std::vector<Expectation> expectations(const Seen& seen, const std::set<int>& steps, const Recording& recording, const Gpu& gpu);

}  // namespace frx::testing::layout
