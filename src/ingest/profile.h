// Profiles of any format that profilers write, binary or text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "knowledge/metrics.h"
#include "model/session.h"

namespace frx::ingest {

// What a session holds besides groups of launches: every_launch also Session::each, every_counter also Session::others.
enum class Keep : std::uint8_t { groups, every_launch, every_counter };

// Recognises and reads one profile, compressed or not. Errors name the file, what was expected and what was found.
Result<model::Session> read_profile(std::string name, ByteSource& source, const knowledge::MetricCatalogue& metrics,
                                    const std::function<void(std::uint64_t)>& progress = {}, Keep keep = Keep::groups);

// The pointer text that git keeps in place of a large file until `git lfs pull`.
bool is_lfs_pointer(std::string_view head);

// Keeps a `==ERROR==` or `==WARNING==` line of the tool; true when the line is any line of the tool itself.
bool take_tool_line(std::string_view line, model::Session& session);

}  // namespace frx::ingest
