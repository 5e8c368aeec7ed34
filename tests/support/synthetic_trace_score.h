// How often the leading label of made-up traces is the cause that they were made with.
#pragma once

#include <cstdint>
#include <string>

#include "report/trace_analyst.h"
#include "support/synthetic_score.h"

namespace frx::testing {

constexpr std::uint64_t synthetic_trace_count = 10500;  // of docs/validation/synthetic-traces.md and of the test

// Traces 0 to count - 1. Forbidden: the label that leads names operations without which the program would end at most a thirtieth sooner.
SyntheticScore score_synthetic_traces(std::uint64_t count, const report::TraceAnalyst& analyst);

// docs/validation/synthetic-traces.md
std::string synthetic_trace_page(const SyntheticScore& score);

}  // namespace frx::testing
