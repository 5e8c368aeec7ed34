// How much memory of each GPU was allocated, over time, from the table of allocations (--cuda-memory-usage=true).
#pragma once

#include <vector>

#include "ingest/nsys/database.h"
#include "model/timeline.h"

namespace frx::ingest::nsys {

// One sample behind each allocation and deallocation, by time; of all processes together. Memory of the host and managed memory do not
// count. What was allocated before the recording began is not in the table. Empty where the table is absent. Errors: stopped.
Result<std::vector<model::MemorySample>> read_device_memory(const Database& database);

}  // namespace frx::ingest::nsys
