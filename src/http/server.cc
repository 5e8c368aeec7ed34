#include "http/server.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <thread>
#include <unordered_set>

#include "base/memory_budget.h"
#include "base/text.h"
#include "http/upload.h"
#include "http/workers.h"

namespace frx::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_of_headers = 32 << 10, piece = 64 << 10;
constexpr std::uint64_t bytes_per_second = 64 << 10;  // that a client has to manage
constexpr std::chrono::seconds write_time{60}, linger_time{5};

std::chrono::milliseconds time_for(std::uint64_t bytes) { return std::chrono::milliseconds(bytes * 1000 / bytes_per_second); }

// One request and what becomes of it. A handler that goes on after its deadline keeps it alive.
struct Exchange {
  Request request;
  std::optional<Upload> upload;
  std::stop_source stop;
  const Route* route = nullptr;  // null: none is meant
  Clock::time_point begin = Clock::now();
};

// The handler's answer, or what became of it.
Response answered_by(Exchange& exchange) {
  try {
    return exchange.route->handler(exchange.request);
  } catch (const std::bad_alloc&) {
    Error error = MemoryBudget::error();
    return problem(413, error.message, "a server with more memory (--memory) may answer it");
  } catch (const std::exception& error) {
    return problem(500, error.what(), "please report it, with the request that shows it");
  }
}

}  // namespace

class Session;

class Server::Implementation {
 public:
  Implementation(ServerOptions options, std::vector<Route> routes)
      : options_(std::move(options)),
        routes_(std::move(routes)),
        workers_(options_.workers > 0 ? options_.workers : std::max(1u, std::thread::hardware_concurrency()), options_.most_waiting) {}

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
  beast::flat_buffer buffer_{most_of_headers + piece};
  std::optional<Parser> parser_;
  std::shared_ptr<Exchange> exchange_;
  std::vector<char> chunk_;
  std::uint64_t read_ = 0;  // numbers what is read: a deadline is for one of it
  bool is_late_ = false;    // that of what is read has passed
  std::optional<wire::response<wire::string_body>> response_;
  std::deque<std::string> events_;  // of the answer that is told as events; the first one is being written
  bool has_events_ = false, ends_events_ = false;
  std::string continue_ = "HTTP/1.1 100 Continue\r\n\r\n";
};

Session::Session(tcp::socket socket, Home& home) : home_(home), stream_(std::move(socket)), deadline_(home.io()) { home_.add(this); }

Session::~Session() { home_.remove(this); }

void Session::close_if_idle() {
  if (!exchange_ && !response_) close();
}

void Session::close() {
  error_code ignored;
  deadline_.cancel();
  stream_.socket().close(ignored);
}

void Session::read_request(bool is_first) {
  parser_.emplace();
  parser_->header_limit(most_of_headers);
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // ours is in bytes that were received
  parser_->eager(false);
  read_until(Clock::now() + (is_first ? home_.options().receive_time : home_.options().idle_time));
  wire::async_read_header(stream_, buffer_, *parser_, bound([](Session& self, error_code error, std::size_t) { self.on_header(error); }));
}

// A deadline of the stream would close it, and nothing could be answered.
void Session::read_until(Clock::time_point end) {
  stream_.expires_never();
  is_late_ = false;
  deadline_.expires_at(end);
  deadline_.async_wait(bound([number = ++read_](Session& self, error_code error) {
    if (error || self.read_ != number) return;
    self.is_late_ = true;
    self.stream_.cancel();
  }));
}

void Session::on_bad_header(error_code error) {
  const bool is_ours = error.category() == make_error_code(wire::error::bad_version).category();
  exchange_ = std::make_shared<Exchange>();
  if (error == wire::error::header_limit || error == wire::error::buffer_overflow)
    return answer(problem(431, "the headers are too long"), true);
  if (is_late_ && buffer_.size() > 0) return answer(problem(408, "the request did not arrive in time"), true);
  if (is_ours && error != wire::error::end_of_stream && error != wire::error::partial_message)
    return answer(problem(400, "the request is no HTTP/1.1: " + error.message()), true);
  exchange_ = nullptr;
  close();
}

void Session::on_header(error_code error) {
  ++read_;
  if (error) return on_bad_header(error);
  exchange_ = std::make_shared<Exchange>();
  if (std::optional<Response> refusal = read_head()) return answer(std::move(*refusal), true);
  if (std::optional<Response> refusal = objection()) return answer(std::move(*refusal), !parser_->is_done());
  if (exchange_->route->is_quick) return answer(answered_by(*exchange_), !parser_->is_done());
  go_on_with_body();
}

// Method, address and headers into the request of the exchange.
std::optional<Response> Session::read_head() {
  Request& request = exchange_->request;
  const auto& message = parser_->get();
  request.method = std::string_view(message.method_string().data(), message.method_string().size());
  for (const auto& field : message) {
    const std::string_view name(field.name_string().data(), field.name_string().size()), value(field.value().data(), field.value().size());
    request.headers[to_lower(name)] = std::string(value);
  }
  if (message.count(wire::field::host) != 1) return problem(400, "expected one Host header");
  if (const Result<> target = read_target({message.target().data(), message.target().size()}, request); !target)
    return problem(target.error());
  return std::nullopt;
}

// Why the request is refused before its body is read.
std::optional<Response> Session::objection() {
  const Request& request = exchange_->request;
  if (std::optional<Response> no = refused(request, home_.options().guard)) return no;
  std::optional<Response> none;
  exchange_->route = home_.route_of(request, none);
  if (!exchange_->route) return none;
  const std::string_view expected = request.header("expect");
  if (!expected.empty() && to_lower(expected) != "100-continue") return problem(417, "expected no Expect but 100-continue");
  const auto length = parser_->content_length();
  const std::uint64_t most = home_.options().most_bytes;
  if (length && *length > most)
    return problem(413, fmt::format("the body has {} bytes, and the server takes at most {}", *length, most),
                   "start it with --max-upload SIZE");
  return std::nullopt;
}

void Session::go_on_with_body() {
  UploadLimits limits;
  limits.folder = home_.options().upload_folder;
  limits.most = home_.options().most_bytes;
  exchange_->upload.emplace(exchange_->request, limits);
  if (parser_->is_done()) return finish_body();
  chunk_.resize(piece);
  if (exchange_->request.header("expect").empty()) return read_body();
  asio::async_write(stream_, asio::buffer(continue_), bound([](Session& self, error_code error, std::size_t) {
                      if (!error) self.read_body();
                    }));
}

void Session::read_body() {
  auto& body = parser_->get().body();
  body.data = chunk_.data();
  body.size = chunk_.size();
  read_until(exchange_->begin + home_.options().receive_time + time_for(exchange_->upload->received()));
  wire::async_read(stream_, buffer_, *parser_, bound([](Session& self, error_code error, std::size_t) { self.on_body(error); }));
}

void Session::on_body(error_code error) {
  ++read_;
  if (error && error != wire::error::need_buffer) {
    if (is_late_) return answer(problem(408, "the body did not arrive in time"), true);
    if (error.category() == make_error_code(wire::error::bad_chunk).category() && error != wire::error::partial_message)
      return answer(problem(400, "the body is damaged: " + error.message()), true);
    exchange_ = nullptr;
    return close();
  }
  Upload& upload = *exchange_->upload;
  if (const Result<> read = upload.read({chunk_.data(), chunk_.size() - parser_->get().body().size}); !read) {
    const Error& why = read.error();
    return answer(upload.is_too_large() ? problem(413, why.message, "start the server with --max-upload SIZE") : problem(why), true);
  }
  if (parser_->is_done()) return finish_body();
  read_body();
}

void Session::finish_body() {
  chunk_ = {};
  Result<std::vector<Part>> parts = exchange_->upload->end();
  if (!parts) return answer(problem(parts.error()));
  exchange_->request.parts = std::move(*parts);
  exchange_->request.stop = exchange_->stop.get_token();
  run_handler();
}

void Session::run_handler() {
  stream_.expires_never();
  begin_events();
  const bool has_room = home_.workers().add([self = shared_from_this(), exchange = exchange_]() mutable {
    Response response = exchange->stop.stop_requested() ? problem(503, "the request was given up") : answered_by(*exchange);
    asio::io_context& io = self->home_.io();
    asio::post(io, [self = std::move(self), exchange = std::move(exchange), response = std::move(response)]() mutable {
      if (self->exchange_ != exchange) return;
      if (self->has_events_) return self->end_events(response);
      self->answer(std::move(response));
    });
  });
  if (!has_room) {
    Response busy = problem(429, "the server is busy", "ask again in a second");
    busy.headers.emplace_back("Retry-After", "1");
    if (has_events_) return end_events(busy);
    return answer(std::move(busy));
  }
  deadline_.expires_after(home_.options().answer_time);
  deadline_.async_wait(bound([exchange = exchange_](Session& self, error_code error) {
    if (error || self.exchange_ != exchange) return;
    exchange->stop.request_stop();
    const Response late = problem(504, "the answer took too long", "ask with a smaller input, or start the server with --timeout SECONDS");
    if (self.has_events_) return self.end_events(late);
    self.answer(late, true);
  }));
  watch();
}

// While a handler runs: has the client gone?
void Session::watch() {
  stream_.socket().async_wait(
      tcp::socket::wait_read, bound([exchange = exchange_](Session& self, error_code error) {
        if (error || self.exchange_ != exchange) return;
        char byte = 0;
        const ssize_t got = ::recv(self.stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (got > 0) return;  // the next request: it waits
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return self.watch();
        exchange->stop.request_stop();
        self.home_.log(fmt::format("{} {}: the client has gone", exchange->request.method, printable(exchange->request.path)));
        self.exchange_ = nullptr;
        self.close();
      }));
}

void Session::answer(Response response, bool close) {
  deadline_.cancel();
  error_code ignored;
  stream_.socket().cancel(ignored);  // what watch() waits for
  const Exchange& exchange = *exchange_;
  close = close || home_.is_closing() || !parser_->keep_alive();
  const bool has_body = exchange.request.method != "HEAD" && response.status != 304;
  const std::size_t size = response.body.size();
  auto& out = response_.emplace(static_cast<wire::status>(response.status), 11);
  out.reason(std::string(reason_of(response.status)));
  for (const auto& [name, value] : home_.options().headers) out.set(name, value);
  for (const auto& [name, value] : response.headers) out.set(name, value);
  if (response.status != 304) out.set(wire::field::content_type, response.content_type);
  out.keep_alive(!close);
  if (has_body) out.body() = std::move(response.body);
  if (response.status != 304) out.content_length(size);
  const double seconds = std::chrono::duration<double>(Clock::now() - exchange.begin).count();
  const std::uint64_t received = exchange.upload ? exchange.upload->received() : 0;
  home_.metrics().answered(exchange.route ? exchange.route->path : "", response.status, seconds, received, has_body ? size : 0);
  home_.log(fmt::format("{} {} {} {:.1f} ms, {} bytes", printable(exchange.request.method), printable(exchange.request.path),
                        response.status, seconds * 1000, size));
  stream_.expires_after(write_time + time_for(size));
  wire::async_write(stream_, out, bound([close](Session& self, error_code error, std::size_t) { self.on_written(error, close); }));
}

void Session::on_written(error_code error, bool close) {
  response_.reset();
  has_events_ = false;
  exchange_ = nullptr;
  if (error) return this->close();
  if (close) return linger();
  read_request(false);
}

// Where the client asked for them: the answer begins at once, and the result is its last event.
void Session::begin_events() {
  has_events_ = exchange_->route->has_events && exchange_->request.header("accept").find("text/event-stream") != std::string_view::npos;
  if (!has_events_) return;
  ends_events_ = false;
  std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n";
  for (const auto& [name, value] : home_.options().headers) head += fmt::format("{}: {}\r\n", name, value);
  send(head + "\r\n", false);
  exchange_->request.emit = [self = weak_from_this(), exchange = std::weak_ptr(exchange_)](std::string_view event, std::string_view data) {
    const std::shared_ptr<Session> session = self.lock();
    if (!session) return;
    asio::post(session->home_.io(), [self, exchange, text = event_text(event, data)] {
      const std::shared_ptr<Session> still = self.lock();
      if (still && still->exchange_ && still->exchange_ == exchange.lock())
        still->send(fmt::format("{:x}\r\n{}\r\n", text.size(), text), false);
    });
  };
}

void Session::send(std::string text, bool is_last) {
  ends_events_ = ends_events_ || is_last;
  events_.push_back(std::move(text));
  if (events_.size() == 1) write_next();
}

void Session::write_next() {
  asio::async_write(stream_, asio::buffer(events_.front()), bound([](Session& self, error_code error, std::size_t) {
                      self.events_.pop_front();
                      if (error) return self.close();
                      if (!self.events_.empty()) return self.write_next();
                      if (self.ends_events_) self.on_written(error, self.home_.is_closing());
                    }));
}

void Session::end_events(const Response& response) {
  deadline_.cancel();
  const Exchange& exchange = *exchange_;
  const double seconds = std::chrono::duration<double>(Clock::now() - exchange.begin).count();
  home_.metrics().answered(exchange.route->path, response.status, seconds, exchange.upload ? exchange.upload->received() : 0,
                           response.body.size());
  home_.log(fmt::format("{} {} {} {:.1f} ms, {} bytes, as events", printable(exchange.request.method), printable(exchange.request.path),
                        response.status, seconds * 1000, response.body.size()));
  const std::string text = event_text(response.status == 200 ? "result" : "problem", response.body);
  deadline_.expires_after(write_time + time_for(text.size()));
  deadline_.async_wait(bound([number = ++read_](Session& self, error_code error) {
    if (!error && self.read_ == number) self.close();
  }));
  send(fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", text.size(), text), true);
}

// A connection that is closed with bytes unread would lose the answer on its way.
void Session::linger() {
  error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(linger_time);
  chunk_.resize(piece);
  discard(std::size_t{64} << 20);
}

void Session::discard(std::size_t most) {
  stream_.async_read_some(asio::buffer(chunk_), bound([most](Session& self, error_code error, std::size_t got) {
                            if (error || got >= most) return self.close();
                            self.discard(most - got);
                          }));
}

Result<> Server::Implementation::open() {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(options_.address == "localhost" ? "127.0.0.1" : options_.address, error);
  if (error) return fail(ErrorKind::usage, "expected an address such as 127.0.0.1 or ::1, found {}", printable(options_.address));
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) return {};
  return fail(ErrorKind::unreadable, "cannot listen: {}", error.message())
      .at(fmt::format("{}:{}", options_.address, options_.port))
      .hint("--port 0 takes any port that is free");
}

void Server::Implementation::accept() {
  if (is_closing_) return;
  if (sessions_.size() >= options_.most_connections) {
    is_paused_ = true;  // the next one that ends goes on
    return;
  }
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (is_closing_) return;
    if (!error) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<Session>(std::move(socket), *this)->start();
      return accept();
    }
    // No descriptor is free, for one: it would fail again at once.
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](error_code) { accept(); });
  });
}

void Server::Implementation::add(Session* session) {
  sessions_.insert(session);
  connections_ = sessions_.size();
}

void Server::Implementation::remove(Session* session) {
  sessions_.erase(session);
  connections_ = sessions_.size();
  if (is_paused_ && !is_closing_) {
    is_paused_ = false;
    asio::post(io_, [this] { accept(); });
  }
  end_if_idle();
}

void Server::Implementation::end_if_idle() {
  if (!is_closing_ || !sessions_.empty()) return;
  closing_.cancel();
  signals_.cancel();
}

void Server::Implementation::begin_closing() {
  if (is_closing_.exchange(true)) return;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  const std::vector<Session*> sessions(sessions_.begin(), sessions_.end());
  for (Session* session : sessions) session->close_if_idle();
  closing_.expires_after(options_.closing_time);
  closing_.async_wait([this](error_code error) {
    if (error) return;
    for (Session* session : sessions_) session->stop();
    closing_.expires_after(options_.closing_time);
    closing_.async_wait([this](error_code again) {
      if (!again) io_.stop();
    });
  });
  end_if_idle();
}

void Server::Implementation::end_on_signals() {
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  signals_.async_wait([this](error_code error, int) {
    if (error) return;
    log("closing: waits for what runs; a second signal ends it at once");
    signals_.async_wait([this](error_code again, int) {
      if (!again) io_.stop();
    });
    begin_closing();  // cancels that wait where nothing runs
  });
}

void Server::Implementation::run() {
  accept();
  while (!io_.stopped()) {
    try {
      io_.run();
    } catch (const std::exception& error) {  // of one connection, which goes with it
      log(fmt::format("unexpected: {}", error.what()));
    }
  }
  for (Session* session : sessions_) session->stop();
  workers_.end();
}

void Server::Implementation::stop() {
  asio::post(io_, [this] { begin_closing(); });
}

Metrics::Now Server::Implementation::now() const {
  const std::uint64_t limit = MemoryBudget::limit();
  return {connections_, workers_.running(), workers_.waiting(), MemoryBudget::used(), limit == UINT64_MAX ? 0 : limit};
}

const Route* Server::Implementation::route_of(const Request& request, std::optional<Response>& none) const {
  std::string allowed;
  for (const Route& route : routes_) {
    if (route.path != request.path) continue;
    if (route.method == request.method || (route.method == "GET" && request.method == "HEAD")) return &route;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", route.method);
  }
  if (allowed.empty()) {
    none = problem(404, fmt::format("there is no {}", printable(request.path)), "/openapi.json lists what there is");
  } else {
    none = problem(405, fmt::format("{} takes {}", printable(request.path), allowed));
    none->headers.emplace_back("Allow", allowed);
  }
  return nullptr;
}

Server::Server(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::listen(ServerOptions options, std::vector<Route> routes) {
  auto implementation = std::make_unique<Implementation>(std::move(options), std::move(routes));
  TRY(implementation->open());
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

std::uint16_t Server::port() const { return implementation_->port(); }
void Server::end_on_signals() { implementation_->end_on_signals(); }
void Server::run() { implementation_->run(); }
void Server::stop() { implementation_->stop(); }
const Metrics& Server::metrics() const { return implementation_->metrics(); }
Metrics::Now Server::now() const { return implementation_->now(); }
bool Server::is_closing() const { return implementation_->is_closing(); }

}  // namespace frx::http
