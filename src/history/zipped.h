// Texts as zlib packs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frx::history {

std::string zipped(std::string_view text);
// Absent where the bytes are damaged, or hold another number of bytes than `size`.
std::optional<std::string> unzipped(std::string_view bytes, std::uint64_t size);

}  // namespace frx::history
