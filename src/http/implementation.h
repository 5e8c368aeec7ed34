// The server and its connections: what src/http/server.cc and src/http/session.cc share, and nothing else includes.
#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/parallel.h"
#include "http/server.h"
#include "http/upload.h"
#include "http/workers.h"

namespace frx::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// One request and what becomes of it. A handler that goes on after its deadline keeps it alive.
struct Exchange {
  Request request;
  std::optional<Upload> upload;
  std::stop_source stop;
  const Route* route = nullptr;  // null: none is meant
  bool is_answered = false;
  Clock::time_point begin = Clock::now();
};

class Session;

class Server::Implementation {
 public:
  Implementation(ServerOptions options, std::vector<Route> routes)
      : options_(std::move(options)),
        routes_(std::move(routes)),
        workers_(options_.workers > 0 ? options_.workers : static_cast<unsigned>(most_threads()), options_.most_waiting) {}

  Result<> open();
  void end_on_signals();
  void run();
  void stop();

  const ServerOptions& options() const { return options_; }
  asio::io_context& io() { return io_; }
  Workers& workers() { return workers_; }
  Metrics& metrics() { return metrics_; }
  bool is_closing() const { return is_closing_; }
  std::uint16_t port() const { return port_; }
  Metrics::Now now() const;
  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }
  // The route that is meant, or null and why there is none.
  const Route* route_of(const Request& request, std::optional<Response>& none) const;
  void add(Session* session);
  void remove(Session* session);

 private:
  void accept();
  void begin_closing();
  void end_if_idle();

  ServerOptions options_;
  std::vector<Route> routes_;
  Metrics metrics_;
  std::unordered_set<Session*> sessions_;  // outlives what io_ holds
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<bool> is_closing_ = false;
  std::uint16_t port_ = 0;
  bool is_paused_ = false;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_}, closing_{io_};
  asio::signal_set signals_{io_};
  Workers workers_;
};

// One connection. Everything but the handlers runs in the thread of the server.
class Session : public std::enable_shared_from_this<Session> {
 public:
  using Home = Server::Implementation;

  Session(tcp::socket socket, Home& home);
  ~Session();
  void start() { read_request(true); }
  // The server ends: what waits for a request is closed.
  void close_if_idle();
  void stop() {
    if (exchange_) exchange_->stop.request_stop();
  }

 private:
  using Parser = wire::request_parser<wire::buffer_body>;
  template <typename Handler>
  auto bound(Handler handler) {
    return [self = shared_from_this(), handler](auto... arguments) { handler(*self, arguments...); };
  }

  void read_request(bool is_first);
  void read_until(Clock::time_point end);
  void on_header(error_code error);
  void on_bad_header(error_code error);
  std::optional<Response> read_head();
  std::optional<Response> objection();
  void go_on_with_body();
  void read_body();
  void on_body(error_code error);
  void finish_body();
  void run_handler();
  void watch();
  void answer(Response response, bool close = false);
  void on_written(error_code error, bool close);
  void note_answer(int status, std::size_t size, std::size_t sent, std::string_view how);
  void offer_events();
  void begin_events();
  void send(std::string text, bool is_last);
  void write_next();
  void end_events(const Response& response);
  void linger();
  void discard(std::size_t most);
  void close();

  Home& home_;
  beast::tcp_stream stream_;
  asio::steady_timer deadline_;
  static constexpr std::size_t most_of_headers = 32 << 10, piece = 64 << 10;
  beast::flat_buffer buffer_{most_of_headers + piece};
  std::optional<Parser> parser_;
  std::shared_ptr<Exchange> exchange_;
  std::unique_ptr<char[]> chunk_;  // `piece` bytes, while a body is read
  std::uint64_t read_ = 0;         // numbers what is read: a deadline is for one of it
  bool is_late_ = false;           // that of what is read has passed
  std::optional<wire::response<wire::string_body>> response_;
  std::deque<std::string> events_;  // of the answer that is told as events; the first one is being written
  bool has_events_ = false, ends_events_ = false;
  std::string continue_ = "HTTP/1.1 100 Continue\r\n\r\n";
};

}  // namespace frx::http
