// The log of `ptxas -v` (nvcc -Xptxas -v) about the kernels it compiled, among other output of a build.
#pragma once

#include <string_view>
#include <vector>

#include "model/compiler_log.h"

namespace frx::ingest {

// In the order of the log; one entry per function and architecture. Lines that are not ptxas' are skipped, so
// a whole build log may be given; of a text without any the answer is empty.
std::vector<model::PtxasFunction> read_ptxas_log(std::string_view text);

}  // namespace frx::ingest
