#include "http/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/prometheus_text.h"

namespace frx::http {
namespace {

void add_one(std::string& out, std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
  describe_metric(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::answered(std::string_view route, int status, double seconds, std::uint64_t received, std::uint64_t sent) {
  const std::lock_guard lock(mutex_);
  const std::string name(route.empty() ? "other" : route);
  ++requests_[{name, status}];
  Times& times = times_[name];
  ++times.counts[static_cast<std::size_t>(std::ranges::lower_bound(bounds, seconds) - bounds.begin())];
  times.sum += seconds;
  received_ += received;
  sent_ += sent;
}

std::string Metrics::text(const Now& now, std::string_view version) const {
  const std::lock_guard lock(mutex_);
  std::string out;
  describe_metric(out, "frx_build_info", "gauge", "The version that runs.");
  out += fmt::format("frx_build_info{{version=\"{}\"}} 1\n", version);
  describe_metric(out, "frx_http_requests_total", "counter", "Requests that were answered, by route and status.");
  for (const auto& [key, count] : requests_)
    out += fmt::format("frx_http_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
  describe_metric(out, "frx_http_request_duration_seconds", "histogram", "From the end of the headers to the answer.");
  for (const auto& [route, times] : times_) {
    add_histogram(out, "frx_http_request_duration_seconds", fmt::format("route=\"{}\"", route), bounds, times.counts, times.sum);
  }
  add_one(out, "frx_http_received_bytes_total", "counter", "Bytes of bodies that were received.", received_);
  add_one(out, "frx_http_sent_bytes_total", "counter", "Bytes of bodies that were sent.", sent_);
  add_one(out, "frx_http_connections", "gauge", "Connections that are open.", now.connections);
  add_one(out, "frx_analyses_running", "gauge", "Analyses that run now.", now.running);
  add_one(out, "frx_analyses_waiting", "gauge", "Analyses that wait for a free worker.", now.waiting);
  add_one(out, "frx_memory_used_bytes", "gauge", "Memory in blocks that are in use.", now.memory);
  if (now.memory_limit > 0) add_one(out, "frx_memory_limit_bytes", "gauge", "Memory that may be in use.", now.memory_limit);
  return out;
}

}  // namespace frx::http
