// Texts as zlib packs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frx::ingest {

std::string zlib_packed(std::string_view bytes);
// Absent where the bytes are damaged, or hold another number of bytes than `size`, which the caller has limited.
std::optional<std::string> zlib_unpacked(std::string_view bytes, std::uint64_t size);

}  // namespace frx::ingest
