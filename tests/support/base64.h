// Bytes that a person writes down as base64. Line ends are passed over.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace frx::testing {

Result<std::string> from_base64(std::string_view text);

}  // namespace frx::testing
