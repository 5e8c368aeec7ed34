// What the server has done so far, as Prometheus reads it (text format 0.0.4).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace frx::http {

class Metrics {
 public:
  // One answer; `route` is the path of a route, or "" for requests that meet none, so that clients cannot make new series.
  void answered(std::string_view route, int status, double seconds, std::uint64_t received, std::uint64_t sent);

  struct Now {
    std::size_t connections = 0, running = 0, waiting = 0;
    std::uint64_t memory = 0, memory_limit = 0;  // bytes; a limit of 0 is none
  };
  std::string text(const Now& now, std::string_view version) const;

 private:
  static constexpr std::array<double, 9> bounds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 10, 100};  // seconds
  struct Times {
    std::array<std::uint64_t, bounds.size() + 1> counts{};
    double sum = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Times, std::less<>> times_;
  std::uint64_t received_ = 0, sent_ = 0;
};

}  // namespace frx::http
