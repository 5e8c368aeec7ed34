#include "http/guard.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/text.h"

namespace frx::http {
namespace {

constexpr std::string_view scheme = "Bearer ";

bool is_known_host(std::string_view host, const GuardOptions& options) {
  const std::string name = host_name(host);
  if (name.empty()) return false;
  // A name of the domain name system can be made to point anywhere; numbers and localhost cannot.
  return name == "localhost" || is_address(name) ||
         std::ranges::any_of(options.hosts, [&](const std::string& known) { return to_lower(known) == name; });
}

// A page may ask the server that it came from, and no other.
bool is_own_origin(std::string_view origin, std::string_view host) {
  const std::size_t end = origin.find("://");
  return end != origin.npos && to_lower(origin.substr(end + 3)) == to_lower(host);
}

bool has_token(const Request& request, const std::string& token) {
  const std::string_view given = request.header("authorization");
  return given.size() > scheme.size() && to_lower(given.substr(0, scheme.size())) == to_lower(scheme) &&
         are_equal(trim(given.substr(scheme.size())), token);
}

}  // namespace

std::string host_name(std::string_view host) {
  std::string_view name = host;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == host.npos) return "";
    name = host.substr(1, end - 1);
  } else if (std::ranges::count(host, ':') <= 1) {
    name = host.substr(0, host.find(':'));
  }
  if (name.ends_with('.')) name.remove_suffix(1);
  return to_lower(name);
}

bool is_address(std::string_view name) {
  in6_addr address{};
  const std::string text(name);
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 || ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool are_equal(std::string_view one, std::string_view other) {
  unsigned char difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size() && !other.empty(); ++i)
    difference = static_cast<unsigned char>(difference | (one[i] ^ other[i % other.size()]));
  return difference == 0;
}

std::optional<Response> refused(const Request& request, const GuardOptions& options) {
  const std::string_view host = request.header("host");
  if (!is_known_host(host, options)) {
    return problem(421, fmt::format("the server is not called {}", host.empty() ? "nothing" : printable(host)),
                   "use localhost or its address, or start it with --allow-host NAME");
  }
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && !is_own_origin(origin, host))
    return problem(403, "a page of another origin may not ask", "open the page of this server, or ask without a browser");
  const std::string_view site = request.header("sec-fetch-site");
  if (request.method == "POST" && (site == "cross-site" || site == "same-site")) return problem(403, "a page of another site may not ask");
  if (options.token.empty() || has_token(request, options.token)) return std::nullopt;
  if (std::ranges::find(options.open_paths, request.path) != options.open_paths.end()) return std::nullopt;
  Response answer = problem(401, "the token is missing or wrong", "send it as Authorization: Bearer TOKEN");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

}  // namespace frx::http
