// Asks a language model over HTTP, at an endpoint that speaks as OpenAI's does: POST URL/chat/completions.
//
// libcurl is loaded when it is needed, as NVML is: nothing is linked against it.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace frx::capture {

struct EndpointRequest {
  std::string url;      // "http://127.0.0.1:8080/v1"; "/chat/completions" is added where it is missing
  std::string api_key;  // sent as a bearer token, and never shown; "": none
  std::string body;     // JSON
  std::chrono::milliseconds time_limit{120'000};
  int attempts = 3;  // where the endpoint is busy (429) or fails (5xx), with a pause that doubles
};

// The body of the answer, at most 8 MiB. Environment: there is no libcurl; the endpoint cannot be reached, answers with an error (whose
// first line is told) or not in time, or its answer is larger. Usage: the URL is neither http nor https; a key would go unencrypted
// to another machine.
Result<std::string> ask_endpoint(const EndpointRequest& request);

// Of such a body: the text of the first choice. Malformed: it has none.
Result<std::string> reply_in(const std::string& body, const std::string& url);

}  // namespace frx::capture
