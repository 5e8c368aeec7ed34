// Parts that pages about recordings share: the documented lines of cgp, which keep their widths on a narrow page, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/json_object.h"
#include "compose/parts.h"
#include "model/recorded_times.h"

namespace frx::compose {

// "=== CGP Binary Profile: ./app ===" and an empty line.
void add_recording_heading(Document& page, std::string_view words, std::string_view names = {});

// The table "Kernel, Calls, Avg (us), Min (us), Max (us)" with a name in 40 cells and numbers in 8 and 12; what is not known is "n/a".
void add_times_table(Document& page, std::string_view heading, const std::vector<model::NameTimes>& rows);

// "12.3"; "n/a" of nothing. Microseconds of nanoseconds.
std::string microseconds_text(std::optional<double> ns);

// name, calls, total_us, avg_us, min_us, max_us.
void put_times(answer::JsonObject& out, const model::NameTimes& row);

}  // namespace frx::compose
