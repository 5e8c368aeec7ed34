// How likely a configuration is to run and to pass the gates, from those that did and those that did not.
#pragma once

#include <vector>

#include "derive/tune/history.h"

namespace frx::derive::tune {

// Of each configuration of the pool, between 0 and 1. A setting that was part of a usable run is above suspicion; one that was not yet
// tried may fail; of one run that failed, the settings that are not above suspicion share the blame, and where there are none their
// combination has it. What ran out of memory is left to memory_limits.h.
std::vector<double> usability_of(const History& history);

}  // namespace frx::derive::tune
