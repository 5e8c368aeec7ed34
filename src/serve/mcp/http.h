// The tools of frx mcp over HTTP: POST /mcp, one message and its answer as JSON ("Streamable HTTP" without streams and sessions).
#pragma once

#include "http/message.h"
#include "serve/api.h"

namespace frx::serve {

// Reads files below ApiOptions::tool_roots.
http::Response answer_tool_message(http::Request& request, const ApiOptions& options);

}  // namespace frx::serve
