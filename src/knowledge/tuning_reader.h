// The files of data/tuning as values. Errors name file and line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "knowledge/limited_number.h"
#include "knowledge/tuning.h"

namespace frx::knowledge {

// A whole number from 0 to 10,000.
Result<std::size_t> tuning_count(const Value& map, std::string_view key);

Result<TuningFamily> read_tuning_family(const Value& root);
Result<TuningStage> read_tuning_stage(const Value& entry);

}  // namespace frx::knowledge
