// The HTTP API (docs/http-api.md): the analyses of the command line for clients over HTTP, answered by the same code.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analyse/context.h"
#include "http/message.h"
#include "report/analyse.h"

namespace frx::serve {

// Analysts for all requests, by the GPU that they name. What they know is loaded once.
class SharedAnalysts {
 public:
  // Of names beyond the first 64, each request makes its own.
  std::shared_ptr<analyse::Analysts> of(const report::AnalysisOptions& options) const;

 private:
  mutable std::mutex mutex_;
  // And whether it stands back behind what files say, and figures and the pedantic tier are wanted.
  mutable std::map<std::tuple<std::string, bool, bool, bool>, std::shared_ptr<analyse::Analysts>> by_gpu_;
};

struct ApiOptions {
  report::AnalysisOptions knowledge = {};    // --data, --arch-profile, and the GPU of requests that name none
  std::string feedback_file = {};            // where POST /feedback appends; "": it answers that nothing keeps it
  std::vector<std::string> tool_roots = {};  // folders that POST /mcp may read from; empty: there is no such route
  std::string version = {};                  // of the program
  std::function<std::string()> metrics = {};
  std::function<bool()> is_closing = {};
  SharedAnalysts analysts = {};
};

// An endpoint that analyses something: what /openapi.json says about it beside its route.
struct Endpoint {
  std::string_view path, summary, description;
  std::string_view request;   // schema of a JSON body, as JSON
  std::string_view response;  // "ncu_analysis_v1": the schema of data/schemas, "" for an object without one
  http::Response (*handler)(http::Request& request, const ApiOptions& options);
  bool has_events = false;  // tells its progress to clients that ask for text/event-stream
};
// One is serve/endpoint_NAME.cc, and a line in endpoints.def.
std::vector<const Endpoint*> endpoints();

// Routes point into `options`, which have to live longer.
std::vector<http::Route> api_routes(const ApiOptions& options);
// Paths that need no token: whether the server lives, and the page, which knows nothing.
std::vector<std::string> open_paths();
// OpenAPI 3.1, with the schemas that frx ships.
std::string openapi_text();

#define FRX_ENDPOINT(name) extern const Endpoint name##_endpoint;
#include "serve/endpoints.def"
#undef FRX_ENDPOINT

}  // namespace frx::serve
