// Hands a list of arguments to the parameters that were declared; the adapter around CLI11.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/syntax.h"

namespace frx::cli {

// Errors are of kind `usage`.
Result<> parse_arguments(std::span<const Parameter> parameters, std::span<const std::string> args);

// "--kern" -> "--kernel-name", "--output=x" -> "--output", "-ofile" -> "-o". An error when it is
// unknown (with the nearest name as hint) or could be several.
Result<std::string> full_option_name(std::span<const Parameter> parameters, std::string_view argument);

}  // namespace frx::cli
