// Where metrics go: the URL, and the headers that variables of OpenTelemetry name.

#include <algorithm>
#include <optional>

#include "base/safe_text.h"
#include "base/text.h"
#include "capture/live/otlp.h"
#include "http/post.h"

namespace frx::capture {
namespace {

constexpr std::string_view path_of_metrics = "/v1/metrics";

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// "%20" is a blank.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::optional<int> high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const std::optional<int> low = high ? hex_digit(text[i + 2]) : std::nullopt;
    decoded += low ? static_cast<char>(*high * 16 + *low) : text[i];
    if (low) i += 2;
  }
  return decoded;
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// "name=value,name=value", values percent-encoded. Messages show no value.
Result<std::vector<std::string>> headers_in(std::string_view variable, std::string_view text) {
  std::vector<std::string> headers;
  for (const std::string_view one : split(text, ',')) {
    if (trim(one).empty()) continue;
    const std::size_t equals = one.find('=');
    const std::string_view name = trim(one.substr(0, equals));
    const std::string value = equals == one.npos ? "" : percent_decoded(trim(one.substr(equals + 1)));
    const bool acts = std::ranges::any_of(value, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
    if (equals == one.npos || !is_header_name(name) || acts)
      return fail(ErrorKind::usage, "expected name=value,name=value with values that are percent-encoded").at(std::string(variable));
    headers.push_back(fmt::format("{}: {}", name, value));
  }
  return headers;
}

std::string first_variable(const Host& host, std::initializer_list<const char*> names, std::string& which) {
  for (const char* name : names) {
    which = name;
    if (const std::optional<std::string> value = host.variable(name); value && !value->empty()) return *value;
  }
  return "";
}

Result<std::string> url_of(const std::string& given, const Host& host) {
  if (given != "env") return given;
  std::string which;
  const std::string url = first_variable(host, {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}, which);
  if (url.empty()) return fail(ErrorKind::usage, "--otlp env: {} is not set", which);
  return url;
}

}  // namespace

Result<OtlpTarget> otlp_target(const std::string& given, const Host& host) {
  OtlpTarget target;
  TRY_ASSIGN(const std::string url, url_of(given, host));
  const std::string lower = to_lower(url);
  if ((!lower.starts_with("http://") && !lower.starts_with("https://")) || http::host_of(lower).empty())
    return fail(ErrorKind::usage, "expected http:// or https:// and a host as --otlp");
  std::string which;
  const std::string headers = first_variable(host, {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"}, which);
  TRY_ASSIGN(target.headers, headers_in(which, headers));
  if (!target.headers.empty() && http::is_unencrypted_to_others(lower)) {
    return fail(ErrorKind::usage, "headers do not go unencrypted to another machine ({})", printable(shorten(http::host_of(lower), 80)))
        .hint("use https, or unset " + which);
  }
  target.url = http::with_path(url, path_of_metrics);
  return target;
}

}  // namespace frx::capture
