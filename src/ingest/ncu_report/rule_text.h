// The text of a rule of the profiler, as plain text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frx::ingest::nsight {

// Removes the marks that make links in the tool's window: "@section:Occupancy:Occupancy@" -> "Occupancy", "@url:guide:https://...@" ->
// "guide"; and the name of the user: "/home/kim/rules" -> "~/rules".
std::string plain_rule_text(std::string_view text);

// As the tool writes the type of a message in its tables: "OPT", "WRN", "INF", "ERR", "" for none.
std::string_view rule_type_text(std::uint64_t type);

}  // namespace frx::ingest::nsight
