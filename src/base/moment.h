// Moments in milliseconds since 1970, UTC, as people and documents write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frx {

// "2026-11-26T12:44:55.120Z"; without the fraction where it is 0.
std::string moment_text(std::int64_t ms);
// "2026-11-26 12:44", for tables.
std::string minute_text(std::int64_t ms);
// Of "2026-11-26", "2026-11-26T12:44:55Z", the same with up to three decimals of a second, and with a blank instead of the T. Absent for
// anything else, and for days that do not exist.
std::optional<std::int64_t> moment_in(std::string_view text);

}  // namespace frx
