// An HTTP/1.1 server: one thread moves the bytes, workers run the handlers.
//
// No client holds a thread: 500 slow ones cost their buffers (at most 64 KiB of headers and 256 KiB of body each). A request has to arrive
// at 64 KiB/s after its first 30 s, is queued when all workers are busy, and is refused with 429 when the queue is full. Its stop token
// says that the client went away or that the deadline has passed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/guard.h"
#include "http/message.h"
#include "http/metrics.h"

namespace frx::http {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8765;  // 0: any that is free
  GuardOptions guard = {};
  std::size_t workers = 0;  // 0: one for each core
  std::size_t most_waiting = 64;
  std::size_t most_connections = 1024;
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  // of a body
  std::chrono::milliseconds receive_time = std::chrono::seconds(30);
  std::chrono::milliseconds idle_time = std::chrono::seconds(60);     // of a connection between two requests
  std::chrono::milliseconds answer_time = std::chrono::seconds(300);  // for a handler
  std::chrono::milliseconds closing_time = std::chrono::seconds(10);  // for what runs when the server is told to end
  std::string upload_folder;                                          // has to exist
  std::vector<std::pair<std::string, std::string>> headers = {};      // of every answer
  std::function<void(const std::string& line)> log = {};              // of each request, and of what goes wrong
};

class Server {
 public:
  class Implementation;

  // Listens from then on. Errors: the address cannot be used.
  static Result<std::unique_ptr<Server>> listen(ServerOptions options, std::vector<Route> routes);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  // From then on SIGINT and SIGTERM do what stop() does, and a second one ends run() at once.
  void end_on_signals();
  // Until stop().
  void run();
  // From any thread: takes no more requests, and ends when those that run have been answered or stopped.
  void stop();

  // For the route of metrics.
  const Metrics& metrics() const;
  Metrics::Now now() const;
  bool is_closing() const;

 private:
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace frx::http
