// What an export says of the machine and of the recording itself.
#pragma once

#include "ingest/nsys/database.h"
#include "model/timeline.h"

namespace frx::ingest::nsys {

// GPUs by their number in CUDA, the beginning of the session, and what the profiler says went wrong (notes). Errors: stopped.
Result<> read_facts(const Database& database, model::Timeline& timeline);

}  // namespace frx::ingest::nsys
