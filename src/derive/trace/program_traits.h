// What a trace says of the program besides its steps: whether it is compiled, infers, replays graphs, and on whose GPU.
#pragma once

#include <vector>

#include "derive/trace/attribution.h"
#include "derive/trace/steps.h"
#include "model/program_traits.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// All but `cpu_only`. `rank`: of a file that a tool merged from several ranks, the one that is meant; -1: all events. O(n) in the events.
model::ProgramTraits program_traits(const model::Timeline& timeline, const Attribution& attribution, const Steps& steps, std::int64_t rank);

}  // namespace frx::derive::trace
