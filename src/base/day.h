// Days as people write them, in UTC: how long something is accepted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace frx {

// "2026-11-26", of the seconds since 1970.
std::string day_of(long long seconds);

// Whether it is such a text, and there is that day. They compare as texts.
bool is_day(std::string_view text);

// What the variable SOURCE_DATE_EPOCH says, so that an answer can be made again; what is no number counts as absent. For all threads, and
// set before they are started.
void set_source_date(const std::optional<std::string>& epoch);
// That day, else the one of the clock.
std::string today();

}  // namespace frx
