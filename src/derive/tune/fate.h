// What may be said of a run from its first times.
#pragma once

#include <span>

#include "derive/tune/history.h"

namespace frx::derive::tune {

Fate fate_of_run(const History& history, const RunRequest& request, std::span<const double> times);

}  // namespace frx::derive::tune
