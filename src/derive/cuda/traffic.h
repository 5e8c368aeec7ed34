// How often a kernel reads global memory: bytes that a thread reads for each byte it writes, for large data.
//
// Loops are counted for a sample: every size is `sample_size`, and the grid covers it once. A naive matrix product reads 2 * 4096 values
// for each one it writes, and one with tiles of 16 a sixteenth of that. The number compares two kernels of the same work; it is no
// prediction, since caches serve what is read again.
#pragma once

#include <cstdint>
#include <optional>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

inline constexpr std::int64_t sample_size = 4096;

// Absent where the number of iterations of a loop with such accesses does not follow from sizes, where the width of an access is unknown,
// and where nothing is written.
std::optional<double> global_reads_per_write(const Trace& trace, const Shape& block);

}  // namespace frx::derive::cuda
