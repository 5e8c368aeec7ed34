// The schema of the history in its versions: data/history/NNNN-*.sql, embedded in the program.
#pragma once

#include <span>
#include <string_view>

namespace frx::history {

// The N-th brings a database of version N (`user_version`) to N + 1.
std::span<const std::string_view> migrations();

// "frxh" as a number of 32 bits: what the header of the file says of whose it is.
inline constexpr int application_id = 0x66727868;

}  // namespace frx::history
