#include "serve/mcp/http.h"

#include <algorithm>
#include <mutex>

#include "base/text.h"
#include "serve/mcp/server.h"

namespace frx::serve {
namespace {

constexpr std::uint64_t longest_message = std::uint64_t{8} << 20;
constexpr int header_mismatch = -32020;

http::Response response_of(const Json& message, int status = 200) {
  return {.status = status, .body = message.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n"};
}

http::Response refused(const Json& id, int code, const std::string& words) {
  return response_of({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", words}}}}, 400);
}

// A proxy decides by the headers, the server by the body: they have to agree.
std::string disagreement(const http::Request& request, const Json& message) {
  const auto text = [&](const char* pointer) {
    const Json::json_pointer where{pointer};
    return message.contains(where) && message.at(where).is_string() ? message.at(where).get<std::string>() : std::string();
  };
  const bool reads = text("/method") == "resources/read";
  const std::pair<std::string_view, std::string> expected[] = {
      {"mcp-method", text("/method")},
      {"mcp-name", text(reads ? "/params/uri" : "/params/name")},
      {"mcp-protocol-version", text("/params/_meta/io.modelcontextprotocol~1protocolVersion")}};
  for (const auto& [header, value] : expected) {
    const std::string_view given = request.header(header);
    // Older revisions name their version in the header alone.
    if (given.empty() || (value.empty() && header == "mcp-protocol-version")) continue;
    if (given != value) return std::string(header);
  }
  return {};
}

// Statuses as the protocol has them: what is wrong with the request itself is 400.
int status_of_answer(const Json& answer) {
  if (!answer.contains("error")) return 200;
  const int code = answer["error"].value("code", 0);
  return code == -32601 || code == -32603 ? 200 : 400;
}

}  // namespace

http::Response answer_tool_message(http::Request& request, const ApiOptions& options) {
  if (request.parts.size() != 1 || request.parts[0].size > longest_message || request.parts[0].bytes.empty())
    return http::problem(400, "expected one message of JSON-RPC as the body, of at most 8 MiB");
  const std::string& body = request.parts[0].bytes;
  const Json message = Json::parse(body, nullptr, false);
  if (message.is_object()) {
    if (const std::string header = disagreement(request, message); !header.empty())
      return refused(message.contains("id") ? message["id"] : Json(nullptr), header_mismatch,
                     "the header " + header + " is not what the body says");
  }
  Result<Roots> roots = Roots::of(options.tool_roots);
  if (!roots) return http::problem(roots.error());
  std::mutex mutex;
  Json answer;
  McpServer server(options, std::move(*roots), options.version, 1, [&](const std::string& line) {
    Json sent = Json::parse(line, nullptr, false);
    // Progress goes to a client that takes events; the answer is the last of them.
    if (sent.contains("method")) return request.emit ? request.emit("message", line) : void();
    const std::scoped_lock lock(mutex);
    answer = std::move(sent);
  });
  server.expect_handshake_elsewhere(std::string(request.header("mcp-protocol-version")));
  const std::stop_callback gone(request.stop, [&server] { server.cancel_all(); });
  std::string line = body;
  std::ranges::replace(line, '\n', ' ');
  server.take(line);
  server.finish();
  if (answer.is_null()) return {.status = 202, .body = ""};
  return response_of(answer, status_of_answer(answer));
}

}  // namespace frx::serve
