// A server of ClickHouse for a test, as history/clickhouse_server.py starts it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace frx::testing {

class Servers {
 public:
  // `skip` says why this machine cannot have one, `error` that it did not start.
  explicit Servers(const std::vector<std::string>& arguments);
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  const std::string& skip() const { return skip_; }
  const std::string& error() const { return error_; }
  // The history of this name.
  std::string address(const std::string& database) const;

 private:
  std::string read_line() const;

  int to_ = -1, from_ = -1, process_ = -1;
  std::string skip_, error_, address_;
};

}  // namespace frx::testing
