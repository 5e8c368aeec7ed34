// LZ4 blocks, as older compilers (and nvcc --compress-mode=speed) pack what they put into a fat binary.
//
// A block is a row of sequences: a byte with two lengths, literal bytes, and how far back a copy of what was already
// unpacked begins. https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace frx::ingest::fatbin {

// Malformed: the block is damaged or unpacks to another size than `size`; never more than `size` bytes are made.
Result<std::string> unpack_lz4_block(std::string_view packed, std::size_t size);

}  // namespace frx::ingest::fatbin
