#include "http/server.h"

#include <algorithm>
#include <thread>

#include "base/memory_budget.h"
#include "base/text.h"
#include "http/implementation.h"

namespace frx::http {

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
