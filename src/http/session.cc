// One connection: requests in, answers out, with their deadlines.
#include <algorithm>

#include "base/memory_budget.h"
#include "base/text.h"
#include "http/implementation.h"

namespace frx::http {
namespace {

constexpr std::uint64_t bytes_per_second = 64 << 10;  // that a client has to manage
constexpr std::chrono::seconds write_time{60}, linger_time{5};

std::chrono::milliseconds time_for(std::uint64_t bytes) { return std::chrono::milliseconds(bytes * 1000 / bytes_per_second); }

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
  chunk_ = std::make_unique_for_overwrite<char[]>(piece);
  if (exchange_->request.header("expect").empty()) return read_body();
  asio::async_write(stream_, asio::buffer(continue_), bound([](Session& self, error_code error, std::size_t) {
                      if (!error) self.read_body();
                    }));
}

void Session::read_body() {
  auto& body = parser_->get().body();
  body.data = chunk_.get();
  body.size = piece;
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
  if (const Result<> read = upload.read({chunk_.get(), piece - parser_->get().body().size}); !read) {
    const Error& why = read.error();
    return answer(upload.is_too_large() ? problem(413, why.message, "start the server with --max-upload SIZE") : problem(why), true);
  }
  if (parser_->is_done()) return finish_body();
  read_body();
}

void Session::finish_body() {
  chunk_.reset();
  Result<std::vector<Part>> parts = exchange_->upload->end();
  if (!parts) return answer(problem(parts.error()));
  exchange_->request.parts = std::move(*parts);
  exchange_->request.stop = exchange_->stop.get_token();
  run_handler();
}

void Session::run_handler() {
  stream_.expires_never();
  offer_events();
  const bool is_queued = home_.workers().add([self = shared_from_this(), exchange = exchange_]() mutable {
    Response response = exchange->stop.stop_requested() ? problem(503, "the request was given up") : answered_by(*exchange);
    asio::io_context& io = self->home_.io();
    asio::post(io, [self = std::move(self), exchange = std::move(exchange), response = std::move(response)]() mutable {
      if (self->exchange_ != exchange) return;
      if (self->has_events_) return self->end_events(response);
      self->answer(std::move(response));
    });
  });
  if (!is_queued) {
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
  exchange_->is_answered = true;
  error_code ignored;
  stream_.socket().cancel(ignored);  // what watch() waits for
  const Exchange& exchange = *exchange_;
  close = close || home_.is_closing() || !parser_->keep_alive();
  const bool has_body = exchange.request.method != "HEAD" && response.status != 304;
  const std::size_t size = response.body.size();
  note_answer(response.status, size, has_body ? size : 0, "");
  auto& out = response_.emplace(static_cast<wire::status>(response.status), 11);
  out.reason(std::string(reason_of(response.status)));
  for (const auto& [name, value] : home_.options().headers) out.set(name, value);
  for (const auto& [name, value] : response.headers) out.set(name, value);
  if (response.status != 304) out.set(wire::field::content_type, response.content_type);
  out.keep_alive(!close);
  if (has_body) out.body() = std::move(response.body);
  if (response.status != 304) out.content_length(size);
  stream_.expires_after(write_time + time_for(size));
  wire::async_write(stream_, out, bound([close](Session& self, error_code error, std::size_t) { self.on_written(error, close); }));
}

// Of `size` bytes, of which `sent` are sent: HEAD asks for none.
void Session::note_answer(int status, std::size_t size, std::size_t sent, std::string_view how) {
  const Exchange& exchange = *exchange_;
  const double seconds = std::chrono::duration<double>(Clock::now() - exchange.begin).count();
  const std::uint64_t received = exchange.upload ? exchange.upload->received() : 0;
  home_.metrics().answered(exchange.route ? exchange.route->path : "", status, seconds, received, sent);
  home_.log(fmt::format("{} {} {} {:.1f} ms, {} bytes{}", printable(exchange.request.method), printable(exchange.request.path), status,
                        seconds * 1000, size, how));
}

void Session::on_written(error_code error, bool close) {
  response_.reset();
  has_events_ = false;
  exchange_ = nullptr;
  if (error) return this->close();
  if (close) return linger();
  read_request(false);
}

// Where the client asked for them: the answer begins at once, or with the first event, and the result is its last one.
void Session::offer_events() {
  has_events_ = false;
  const Route& route = *exchange_->route;
  const bool is_asked = exchange_->request.header("accept").find("text/event-stream") != std::string_view::npos;
  if (!is_asked || !(route.has_events || route.sends_messages)) return;
  if (route.has_events) begin_events();
  exchange_->request.emit = [self = weak_from_this(), exchange = std::weak_ptr(exchange_)](std::string_view event, std::string_view data) {
    const std::shared_ptr<Session> session = self.lock();
    if (!session) return;
    asio::post(session->home_.io(), [self, exchange, text = event_text(event, data)] {
      const std::shared_ptr<Session> still = self.lock();
      if (!still || !still->exchange_ || still->exchange_ != exchange.lock() || still->exchange_->is_answered) return;
      if (!still->has_events_) still->begin_events();
      still->send(fmt::format("{:x}\r\n{}\r\n", text.size(), text), false);
    });
  };
}

void Session::begin_events() {
  has_events_ = true;
  ends_events_ = false;
  std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n";
  for (const auto& [name, value] : home_.options().headers) head += fmt::format("{}: {}\r\n", name, value);
  send(head + "\r\n", false);
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
  exchange_->is_answered = true;
  note_answer(response.status, response.body.size(), response.body.size(), ", as events");
  const std::string text = event_text(response.status != 200             ? "problem"
                                      : exchange_->route->sends_messages ? "message"
                                                                         : "result",
                                      response.body);
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
  chunk_ = std::make_unique_for_overwrite<char[]>(piece);
  discard(std::size_t{64} << 20);
}

void Session::discard(std::size_t most) {
  stream_.async_read_some(asio::buffer(chunk_.get(), piece), bound([most](Session& self, error_code error, std::size_t got) {
                            if (error || got >= most) return self.close();
                            self.discard(most - got);
                          }));
}

}  // namespace frx::http
