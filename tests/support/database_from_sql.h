// A database of SQLite, described by the statements that make it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace frx::testing {

// The bytes of its file, in pages of 512 bytes so that small ones stay small. Errors name the statement's message.
Result<std::string> database_from_sql(std::string_view name, std::string_view statements);

}  // namespace frx::testing
