// Reports about recordings as resources: frx://report/PATH is the whole answer about a file below the roots, as Markdown.
#pragma once

#include <string>
#include <string_view>

#include "serve/mcp/tools.h"

namespace frx::serve {

inline constexpr std::string_view report_scheme = "frx://report/";

bool is_report_resource(std::string_view uri);

// The recordings below the roots, by their endings: profiles, traces and run bundles. At most 200 of them, in the order of their names;
// folders whose name begins with a dot, and what lies further down than six folders, are not looked into.
Json report_resources(const Roots& roots);

// As resources/read has it. Errors: outside of the roots, or what the analysis says.
Result<Json> report_at(const std::string& uri, const ToolCall& call);

}  // namespace frx::serve
