// LZ4 blocks, as older compilers (and nvcc --compress-mode=speed) compress the images of a fat binary.
//
// A block is a row of sequences: a byte with two lengths, literal bytes, and the distance back to a copy of bytes that were already
// decompressed. https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace frx::ingest::fatbin {

// Malformed: the block is damaged or expands to another size than `size`; never more than `size` bytes are written.
Result<std::string> unpack_lz4_block(std::string_view packed, std::size_t size);

}  // namespace frx::ingest::fatbin
