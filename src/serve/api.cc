#include "serve/api.h"

#include <array>

#include "answer/json.h"
#include "base/memory_budget.h"
#include "base/sha256.h"
#include "frx_generated/page.h"
#include "knowledge/library.h"
#include "render/html.h"
#include "serve/feedback.h"
#include "serve/mcp/http.h"

namespace frx::serve {
namespace {

using http::Request;
using http::Response;
using http::Route;

// The memory that a request may use while it is answered.
class MemoryShare {
 public:
  explicit MemoryShare(const Request& request) {
    for (const http::Part& part : request.parts) bytes_ += part.size;
    MemoryBudget::add_share(bytes_);
  }
  ~MemoryShare() { MemoryBudget::remove_share(bytes_); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

 private:
  std::uint64_t bytes_ = 0;
};

Response alive() { return {.body = "{\"status\": \"ok\"}\n"}; }

// A document that stays as it is while the server runs: by its hash a client knows that it has it already.
class FixedDocument {
 public:
  FixedDocument(std::string_view text, std::string_view content_type)
      : text_(text), content_type_(content_type), tag_(fmt::format("\"{}\"", sha256(text).substr(0, 32))) {}

  Response answer_to(const Request& request) const {
    const bool is_known = request.header("if-none-match").find(tag_) != std::string_view::npos;
    return {is_known ? 304 : 200, content_type_, is_known ? "" : text_, {{"ETag", tag_}, {"Cache-Control", "no-cache"}}};
  }

 private:
  std::string text_, content_type_, tag_;
};

Response ready(const ApiOptions& options) {
  return options.is_closing && options.is_closing() ? http::problem(503, "the server is closing") : alive();
}

// The page, its parts, and their types.
struct PageFile {
  std::string_view path, type, text;
};

// Without its script the page only says that there is an API.
std::string_view start_page() {
  if (render::page_problem().empty()) return generated::index_html;
  static const std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>frx</title><link rel=\"stylesheet\" "
      "href=\"/page.css\"></head>"
      "<body><main><h1>This frx has no page</h1><p>{}. The API answers: <a "
      "href=\"/openapi.json\">/openapi.json</a>.</p></main></body></html>\n",
      render::html_text(render::page_problem()));
  return page;
}

std::array<PageFile, 3> page_files() {
  return {{{"/", "text/html; charset=utf-8", start_page()},
           {"/analyzer.js", "text/javascript; charset=utf-8", generated::analyzer_js},
           {"/page.css", "text/css; charset=utf-8", render::page_style()}}};
}

}  // namespace

std::shared_ptr<analyse::Analysts> SharedAnalysts::of(const report::AnalysisOptions& options) const {
  constexpr std::size_t most = 64;
  const std::lock_guard lock(mutex_);
  const std::tuple key(options.gpu_model, options.gpu_is_fallback, options.with_figures, options.pedantic);
  if (const auto known = by_gpu_.find(key); known != by_gpu_.end()) return known->second;
  auto made = std::make_shared<analyse::Analysts>(options);
  if (by_gpu_.size() < most) by_gpu_.emplace(key, made);
  return made;
}

std::vector<const Endpoint*> endpoints() {
  return {
#define FRX_ENDPOINT(name) &name##_endpoint,
#include "serve/endpoints.def"
#undef FRX_ENDPOINT
  };
}

std::vector<std::string> open_paths() {
  std::vector<std::string> paths = {"/health", "/healthz", "/readyz"};
  for (const PageFile& file : page_files()) paths.emplace_back(file.path);
  return paths;
}

std::vector<Route> api_routes(const ApiOptions& options) {
  std::vector<Route> routes;
  for (const Endpoint* endpoint : endpoints()) {
    routes.push_back({"POST", endpoint->path, [endpoint, &options](Request& request) {
                        const MemoryShare share(request);
                        return endpoint->handler(request, options);
                      }});
    routes.back().has_events = endpoint->has_events;
  }
  const auto add_quick = [&](std::string_view path, std::function<Response(Request&)> handler) {
    routes.push_back({"GET", path, std::move(handler), true});
  };
  for (const std::string_view path : {"/health", "/healthz"}) add_quick(path, [](Request&) { return alive(); });
  add_quick("/readyz", [&options](Request&) { return ready(options); });
  add_quick("/metrics", [&options](Request&) {
    return Response{.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = options.metrics ? options.metrics() : ""};
  });
  add_quick("/openapi.json", [](Request& request) {
    static const FixedDocument document(openapi_text(), "application/json");
    return document.answer_to(request);
  });
  for (const PageFile& file : page_files()) {
    add_quick(file.path, [document = FixedDocument(file.text, file.type)](Request& request) { return document.answer_to(request); });
  }
  if (!options.tool_roots.empty()) {
    routes.push_back({"POST", "/mcp", [&options](Request& request) {
                        const MemoryShare share(request);
                        return answer_tool_message(request, options);
                      }});
    routes.back().sends_messages = true;
  }
  routes.push_back({"POST", "/feedback", [&options](Request& request) { return keep_feedback(request, options.feedback_file); }});
  routes.push_back({"GET", "/feedback", [&options](Request&) { return show_feedback(options.feedback_file); }});
  return routes;
}

}  // namespace frx::serve
