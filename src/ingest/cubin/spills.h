// Which reads and writes of local memory save and restore registers because there are too few.
//
// Recent compilers (CUDA 12.8 and later) mark those instructions in .nv.info.KERNEL:
//
//   04 55  10 00  01 00 00 00 80 01 00 00  01 00 00 00 a0 01 00 00     the instructions at 0x180 and 0x1A0 are spills
//
// Their bytes add up to what ptxas -v of CUDA 13.0 prints as "bytes spill stores, bytes spill loads". Older compilers
// mark nothing; their spills look like any other access to local memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/cubin/attributes.h"
#include "model/kernel_resources.h"

namespace frx::ingest::cubin {

// Absent when the file does not determine it. `local` is of all instructions of `code`.
std::optional<model::LocalAccesses> spills_of(std::string_view code, const model::LocalAccesses& local,
                                              const std::vector<AttributeRecord>& attributes, std::uint32_t cuda_version);

}  // namespace frx::ingest::cubin
