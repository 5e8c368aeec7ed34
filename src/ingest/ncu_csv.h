// Reads Nsight Compute CSV (ncu_csv.cc) with pieces of a size of the caller's choice: the answer does not depend on it.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "ingest/format.h"

namespace frx::ingest {

// Reads from `first`, the header of the table, to the end of the input.
Result<> read_ncu_csv(Input& input, std::string_view first, model::Session& into, std::size_t piece_size);

}  // namespace frx::ingest
