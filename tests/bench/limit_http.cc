// The least that an HTTP server can do: it takes a body and answers with a text of a given size. With the server of frx, or with
// Boost.Beast alone, a thread for each connection. limit_http own|beast BYTES prints its port.
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "http/server.h"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;

int run_own(const std::string& text) {
  frx::http::ServerOptions options;
  options.port = 0;
  options.upload_folder = "/tmp";
  const auto answer = [&](frx::http::Request&) { return frx::http::Response{.body = text}; };
  auto server = frx::http::Server::listen(std::move(options), {{"POST", "/ptx/analyze", answer}, {"POST", "/ncu/analyze", answer}}).value();
  std::printf("%d\n", server->port());
  std::fflush(stdout);
  server->run();
  return 0;
}

void talk(tcp::socket socket, const std::string& text) {
  beast::flat_buffer buffer;
  beast::error_code error;
  while (!error) {
    wire::request<wire::string_body> request;
    wire::read(socket, buffer, request, error);
    if (error) return;
    wire::response<wire::string_body> response(wire::status::ok, 11, text);
    response.set(wire::field::content_type, "application/json");
    response.keep_alive(request.keep_alive());
    response.prepare_payload();
    wire::write(socket, response, error);
  }
}

int run_beast(const std::string& text) {
  asio::io_context io;
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::printf("%d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  while (true) {
    tcp::socket socket = acceptor.accept();
    socket.set_option(tcp::no_delay(true));
    std::thread([&text, one = std::move(socket)]() mutable { talk(std::move(one), text); }).detach();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string text(std::strtoull(argv[2], nullptr, 10), 'x');
  return std::string_view(argv[1]) == "own" ? run_own(text) : run_beast(text);
}
