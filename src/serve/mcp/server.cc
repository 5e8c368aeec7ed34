#include "serve/mcp/server.h"

#include <algorithm>
#include <array>

#include "base/memory_budget.h"
#include "base/text.h"
#include "serve/mcp/prompts.h"
#include "serve/mcp/report_resources.h"
#include "serve/mcp/tools.h"

namespace frx::serve {
namespace {

constexpr std::string_view modern_version = "2026-07-28";
constexpr std::array<std::string_view, 4> handshake_versions = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* version_key = "io.modelcontextprotocol/protocolVersion";
constexpr const char* capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* server_key = "io.modelcontextprotocol/serverInfo";

constexpr int parse_error = -32700, invalid_request = -32600, unknown_method = -32601, invalid_params = -32602, internal_error = -32603,
              unsupported_version = -32022;

constexpr std::size_t most_waiting_calls = 64;
constexpr std::uint64_t list_is_good_for_ms = 3'600'000, files_are_good_for_ms = 1'000;
const char* const roots_id = "frx-roots";

Json versions() {
  Json all = Json::array({modern_version});
  for (const std::string_view version : handshake_versions) all.push_back(version);
  return all;
}

Json capabilities() { return {{"tools", Json::object()}, {"resources", Json::object()}, {"prompts", Json::object()}}; }

Json server_info(const std::string& version) { return {{"name", "frx"}, {"title", "Fournex"}, {"version", version}}; }

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

Json member(const Json& object, const char* name) { return object.is_object() && object.contains(name) ? object[name] : Json(nullptr); }

std::string text_member(const Json& object, const char* name) {
  const Json value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// What a tool answers: for programs as it is, for models the same as text.
Json content_of(const Json& structured) {
  const std::string text = structured.dump(-1, ' ', true, Json::error_handler_t::replace);
  return {{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"structuredContent", structured}, {"isError", false}};
}

Json content_of(const Error& error) {
  return {{"content", Json::array({{{"type", "text"}, {"text", safe_text(to_string(error))}}})}, {"isError", true}};
}

}  // namespace

McpServer::McpServer(const ApiOptions& api, Roots roots, std::string version, std::size_t workers,
                     std::function<void(const std::string&)> send)
    : api_(api), roots_(std::move(roots)), version_(std::move(version)), send_(std::move(send)), workers_(workers, most_waiting_calls) {}

McpServer::~McpServer() { workers_.end(); }

void McpServer::send(Json message) {
  Json whole = {{"jsonrpc", "2.0"}};
  whole.update(message);
  const std::string line = whole.dump(-1, ' ', true, Json::error_handler_t::replace);
  const std::scoped_lock lock(sending_);
  send_(line);
}

void McpServer::refuse(const Json& id, int code, const std::string& message, Json data) {
  Json error = {{"code", code}, {"message", safe_text(message)}};
  if (!data.is_null()) error["data"] = std::move(data);
  send({{"id", id}, {"error", std::move(error)}});
}

void McpServer::answer(const Asked& asked, Json result) {
  if (asked.is_modern) {
    result["resultType"] = "complete";
    result["_meta"] = {{server_key, server_info(version_)}};
  }
  send({{"id", asked.id}, {"result", std::move(result)}});
}

// Lists are the same for all clients as long as the program runs.
void McpServer::answer_list(const Asked& asked, Json result) {
  if (asked.is_modern) {
    result["ttlMs"] = list_is_good_for_ms;
    result["cacheScope"] = "public";
  }
  answer(asked, std::move(result));
}

// What files say is of one client, and they change.
void McpServer::answer_about_files(const Asked& asked, Json result) {
  if (asked.is_modern) {
    result["ttlMs"] = files_are_good_for_ms;
    result["cacheScope"] = "private";
  }
  answer(asked, std::move(result));
}

void McpServer::refuse_line(std::string_view why) { refuse(nullptr, invalid_request, std::string(why)); }

void McpServer::take(std::string_view line) {
  if (trim(line).empty()) return;
  Json message = Json::parse(line, nullptr, false);
  if (message.is_discarded()) return refuse(nullptr, parse_error, "expected a message of JSON-RPC, found no JSON");
  const Json id = member(message, "id");
  if (!message.is_object() || text_member(message, "jsonrpc") != "2.0")
    return refuse(is_id(id) ? id : Json(nullptr), invalid_request, "expected one message of JSON-RPC 2.0");
  const Json method = member(message, "method");
  if (!method.is_string()) return take_answer(message);
  Json params = member(message, "params");
  if (params.is_null()) params = Json::object();
  if (!params.is_object()) return refuse(is_id(id) ? id : Json(nullptr), invalid_params, "expected an object as params");
  if (!message.contains("id")) return take_notification(method.get<std::string>(), params);
  if (!is_id(id)) return refuse(nullptr, invalid_request, "expected a text or a whole number as id");
  take_request(method.get<std::string>(), {.id = id, .params = std::move(params)});
}

// A request of the newer revision says its version, one of the older ones comes behind the handshake.
bool McpServer::accept_version(Asked& asked, const std::string& method) {
  const Json meta = member(asked.params, "_meta"), version = member(meta, version_key);
  if (version.is_null()) {
    if (is_initialized_ || method == "ping") return true;
    refuse(asked.id, invalid_params, fmt::format("expected _meta with {}, or initialize before {}", version_key, method));
    return false;
  }
  if (version != modern_version) {
    refuse(asked.id, unsupported_version, "unsupported protocol version", {{"supported", versions()}, {"requested", version}});
    return false;
  }
  if (!member(meta, capabilities_key).is_object()) {
    refuse(asked.id, invalid_params, fmt::format("expected an object as _meta[\"{}\"]", capabilities_key));
    return false;
  }
  asked.is_modern = true;
  return true;
}

void McpServer::take_request(const std::string& method, Asked asked) {
  if (method == "initialize" && member(member(asked.params, "_meta"), version_key).is_null()) return initialize(asked);
  if (!accept_version(asked, method)) return;
  if (method == "tools/call") return call_tool(std::move(asked));
  if (method == "tools/list") return answer_list(asked, {{"tools", tool_list()}});
  if (method == "resources/list") return answer_about_files(asked, {{"resources", report_resources(roots_)}});
  if (method == "resources/templates/list") return answer_list(asked, {{"resourceTemplates", resource_templates()}});
  if (method == "prompts/list") return answer_list(asked, {{"prompts", prompt_list()}});
  if (method == "resources/read" && is_report_resource(text_member(asked.params, "uri"))) return queue(std::move(asked));
  if (method == "resources/read") {
    const std::string uri = text_member(asked.params, "uri");
    Result<Json> found = resource_at(uri, api_.knowledge.data_directory);
    return found ? answer_list(asked, std::move(*found)) : refuse(asked.id, invalid_params, in_one_line(found.error()), {{"uri", uri}});
  }
  if (method == "prompts/get") {
    Result<Json> found = prompt_named(text_member(asked.params, "name"), member(asked.params, "arguments"));
    return found ? answer(asked, std::move(*found)) : refuse(asked.id, invalid_params, in_one_line(found.error()));
  }
  if (asked.is_modern && method == "server/discover")
    return answer_list(asked, {{"supportedVersions", versions()}, {"capabilities", capabilities()}, {"instructions", mcp_instructions()}});
  if (!asked.is_modern && method == "ping") return answer(asked, Json::object());
  refuse(asked.id, unknown_method, fmt::format("there is no method {}", printable(method)));
}

void McpServer::initialize(const Asked& asked) {
  const std::string version = text_member(asked.params, "protocolVersion");
  const bool is_known = std::ranges::find(handshake_versions, version) != handshake_versions.end();
  is_initialized_ = true;
  client_has_roots_ = member(member(asked.params, "capabilities"), "roots").is_object();
  answer(asked, {{"protocolVersion", is_known ? version : std::string(handshake_versions.front())},
                 {"capabilities", capabilities()},
                 {"serverInfo", server_info(version_)},
                 {"instructions", mcp_instructions()}});
}

void McpServer::take_notification(const std::string& method, const Json& params) {
  const bool asks_roots = method == "notifications/initialized" || method == "notifications/roots/list_changed";
  if (asks_roots && client_has_roots_) return send({{"id", roots_id}, {"method", "roots/list"}});
  if (method != "notifications/cancelled") return;
  const std::scoped_lock lock(mutex_);
  const auto at = running_.find(member(params, "requestId").dump());
  if (at == running_.end()) return;
  at->second.is_cancelled = true;
  at->second.stop.request_stop();
}

// Of the one thing that is asked of a client.
void McpServer::take_answer(const Json& message) {
  if (member(message, "id") != roots_id) return;
  const Json roots = member(member(message, "result"), "roots");
  if (!roots.is_array()) return;
  std::vector<std::string> uris;
  for (const Json& root : roots) uris.push_back(text_member(root, "uri"));
  roots_.narrow(uris);
}

void McpServer::call_tool(Asked asked) {
  if (!tool_named(text_member(asked.params, "name")))
    return refuse(asked.id, invalid_params, fmt::format("there is no tool '{}'", printable(text_member(asked.params, "name"))));
  queue(std::move(asked));
}

void McpServer::queue(Asked asked) {
  const std::string key = asked.id.dump();
  {
    const std::scoped_lock lock(mutex_);
    if (!running_.try_emplace(key).second) return refuse(asked.id, invalid_request, "a request of this id is being answered");
  }
  const Json id = asked.id;
  if (workers_.add([this, key, asked = std::move(asked)] { run_call(key, asked); })) return;
  {
    const std::scoped_lock lock(mutex_);
    running_.erase(key);
  }
  refuse(id, internal_error, "too many calls wait to be answered");
}

std::function<void(double, double, std::string_view)> McpServer::progress_of(const Asked& asked) {
  const Json token = member(member(asked.params, "_meta"), "progressToken");
  if (!is_id(token)) return {};
  return [this, token](double done, double all, std::string_view what) {
    send({{"method", "notifications/progress"},
          {"params", {{"progressToken", token}, {"progress", done}, {"total", all}, {"message", what}}}});
  };
}

// What is asked of a tool, or the report that is a resource. What a library throws ends nothing but this call.
Result<Json> McpServer::result_of(const Asked& asked, std::stop_token stop) {
  return without_exceptions([&]() -> Result<Json> {
    Json arguments = member(asked.params, "arguments");
    if (arguments.is_null()) arguments = Json::object();
    const ToolCall call{.arguments = arguments, .roots = roots_, .api = api_, .stop = std::move(stop), .progress = progress_of(asked)};
    if (const std::string uri = text_member(asked.params, "uri"); is_report_resource(uri)) return report_at(uri, call);
    if (!arguments.is_object()) return fail(ErrorKind::usage, "expected an object as arguments");
    TRY_ASSIGN(const Json answer, called(*tool_named(text_member(asked.params, "name")), call));
    return content_of(answer);
  });
}

void McpServer::run_call(const std::string& key, const Asked& asked) {
  std::stop_token stop;
  {
    const std::scoped_lock lock(mutex_);
    stop = running_[key].stop.get_token();
  }
  Result<Json> result = result_of(asked, std::move(stop));
  bool is_cancelled = false;
  {
    const std::scoped_lock lock(mutex_);
    is_cancelled = running_[key].is_cancelled;
    running_.erase(key);
  }
  if (!is_cancelled) {
    const std::string uri = text_member(asked.params, "uri");
    if (!is_report_resource(uri)) {
      answer(asked, result ? std::move(*result) : content_of(result.error()));
    } else if (result) {
      answer_about_files(asked, std::move(*result));
    } else {
      refuse(asked.id, invalid_params, in_one_line(result.error()), {{"uri", uri}});
    }
  }
  ended_.notify_all();
}

void McpServer::expect_handshake_elsewhere(const std::string& version) {
  is_initialized_ = std::ranges::find(handshake_versions, version) != handshake_versions.end();
}

void McpServer::cancel_all() {
  const std::scoped_lock lock(mutex_);
  for (auto& [id, call] : running_) {
    call.is_cancelled = true;
    call.stop.request_stop();
  }
}

void McpServer::finish() {
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_.empty(); });
  }
  workers_.end();
}

}  // namespace frx::serve
