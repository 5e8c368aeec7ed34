// The Model Context Protocol over lines of JSON-RPC: revision 2026-07-28, in which each request says its version, and the handshake of the
// revisions before it. Knows messages, calls and their end; nothing of what the tools do.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "http/workers.h"
#include "serve/api.h"
#include "serve/mcp/agent_answer.h"
#include "serve/mcp/roots.h"

namespace frx::serve {

class McpServer {
 public:
  // `send` gets one message at a time, without its line end. `version`: of the program.
  McpServer(const ApiOptions& api, Roots roots, std::string version, std::size_t workers, std::function<void(const std::string&)> send);
  ~McpServer();
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  // One line of the client. Calls are answered later, by other threads.
  void take(std::string_view line);
  // A line that is longer than may be.
  void refuse_line(std::string_view why);
  // Over HTTP each request may come to another server: one that names an older revision has had its handshake.
  void expect_handshake_elsewhere(const std::string& version);
  // Ends all calls that run; none of them is answered.
  void cancel_all();
  // The client sends nothing any more: calls that run are answered, and then it ends.
  void finish();

 private:
  struct Asked {
    Json id, params;
    bool is_modern = false;
  };
  // Of a call that runs; its stop_source ends it, and then nothing is answered.
  struct Running {
    std::stop_source stop;
    bool is_cancelled = false;
  };

  void take_request(const std::string& method, Asked asked);
  void take_notification(const std::string& method, const Json& params);
  void take_answer(const Json& message);
  bool accept_version(Asked& asked, const std::string& method);
  void initialize(const Asked& asked);
  void call_tool(Asked asked);
  // Answered later, by another thread.
  void queue(Asked asked);
  Result<Json> result_of(const Asked& asked, std::stop_token stop);
  void run_call(const std::string& key, const Asked& asked);
  std::function<void(double, double, std::string_view)> progress_of(const Asked& asked);

  void answer(const Asked& asked, Json result);
  void answer_list(const Asked& asked, Json result);
  void answer_about_files(const Asked& asked, Json result);
  void refuse(const Json& id, int code, const std::string& message, Json data = nullptr);
  void send(Json message);

  const ApiOptions& api_;
  Roots roots_;
  std::string version_;
  std::function<void(const std::string&)> send_;
  std::mutex sending_;

  bool is_initialized_ = false;  // by the handshake of older revisions
  bool client_has_roots_ = false;

  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::string, Running> running_;  // by the id as it is written
  http::Workers workers_;                   // last: its threads use the rest
};

}  // namespace frx::serve
