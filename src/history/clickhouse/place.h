// Where a history on ClickHouse is:
//
//   clickhouse://HOST[:PORT][,HOST[:PORT]...][/DATABASE][?cluster=NAME][&wait=SECONDS]
//
// clickhouses:// is the same over TLS. Ports are those of the HTTP interface, 8123 or 8443 unless given; the database is `frx` unless
// given. With a cluster, a name in the configuration of the servers, the tables are spread over its shards. `wait`: how long what may pass
// (a server that is starting, a busy one) is tried again; 30 unless given.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::history::clickhouse {

struct Place {
  std::string name;                // for messages
  std::vector<std::string> hosts;  // "http://127.0.0.1:8123", at least one
  std::string database, cluster;   // `cluster`: "" for none
  std::chrono::milliseconds wait{30'000};
};

bool is_place(std::string_view store);

// Usage, with a hint: it is none, or names a user or a password, which do not belong in an address. The message holds neither.
Result<Place> place_in(const std::string& store);

}  // namespace frx::history::clickhouse
