// Where a number, label, rule or recommendation of an analysis is from, whatever it analysed (why_stories.h).
#pragma once

#include <string>
#include <string_view>

#include "analyse/analyse.h"

namespace frx::analyse {

// `scope` as in answer_of(). Usage: nothing has this name; the layers of one program are asked one by one.
Result<std::string> why(const Analysis& analysis, std::string_view field, const std::string& scope, const knowledge::Knowledge& knowledge);

}  // namespace frx::analyse
