// What kind of event a category of a trace means.
#pragma once

#include <string_view>

#include "model/timeline.h"

namespace frx::ingest::trace {

// The categories of all generations: "Operator" of PyTorch 1.8 as well as "cpu_op".
model::EventKind kind_of_category(std::string_view category);

// Ranges that old writers put among the operators: ProfilerStep#N, the loader, the optimizer.
bool is_range_of_program(std::string_view name);

}  // namespace frx::ingest::trace
