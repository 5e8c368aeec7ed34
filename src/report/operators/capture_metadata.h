// The member capture_metadata of the files of a capture: NAME.capture.json, manifest.json, profile.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "report/operators/operator_manifest.h"

namespace frx::report {

// What it does not say, or says in another form, stays as it was.
void read_capture(const nlohmann::json& from, CaptureFacts& to);

// "2026-05-24T13:40:14Z" of nanoseconds since 1970; "" of 0, which is not known.
std::string utc_text(std::int64_t since_1970_ns);
// Seconds since 1970 of such a text, with a fraction of a second or not, and with "Z", "+02:00" or nothing behind it (which is UTC).
// Nothing of another text.
std::optional<std::int64_t> seconds_of_utc(std::string_view text);

}  // namespace frx::report
