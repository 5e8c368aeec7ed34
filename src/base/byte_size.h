// Amounts of bytes as people write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace frx {

// "512M", "2G", "1048576": bytes, with K, M or G of 1024. Errors: anything else, and 0.
Result<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace frx
