// The tables of a history on ClickHouse: those of SQLite with names written out, ordered by what is asked of them.
//
// A repeated insert must count once. Rows of equal key are therefore merged by the server (ReplacingMergeTree), and questions take one row
// of each id until it has. A record is there when its row in `record` is, which is written last; what an interrupted insert left in the
// other tables counts for nothing and is completed by the next try.
//
// On a cluster each table is a Distributed table over a table NAME_local on each shard. All rows of a series are on one shard.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "history/clickhouse/client.h"

namespace frx::history::clickhouse {

struct Table {
  std::string_view name, columns, order, shard, more;  // `shard`: what is hashed to find the shard; `more`: behind ORDER BY
  enum class Part : std::uint8_t { record, rank, other } part = Part::record;  // what goes with a record, or with the rank of a run
};

// In the order in which they are written.
inline constexpr std::array<Table, 11> tables = {{
    {"document",
     "id FixedString(32), series String, at_ms Int64, commit_id String, schema String, mode String, source String, verdict String, "
     "gpu String, program String, machine String, software String, metric String, value Nullable(Float64), bytes UInt64, document String",
     "(at_ms, id)", "series", "SETTINGS index_granularity = 256"},
    {"label", "id FixedString(32), series String, at_ms Int64, place UInt64, name String, score Nullable(Float64)",
     "(name, at_ms, id, place)", "series", ""},
    {"fact", "id FixedString(32), series String, at_ms Int64, commit_id String, name String, value Float64", "(series, name, at_ms, id)",
     "series", ""},
    {"kernel",
     "id FixedString(32), series String, at_ms Int64, place UInt64, name String, count Nullable(Int64), us Nullable(Float64), label String",
     "(series, at_ms, id, place)", "series", ""},
    {"operator",
     "id FixedString(32), series String, at_ms Int64, place UInt64, name String, count Nullable(Int64), us Nullable(Float64), label String",
     "(series, at_ms, id, place)", "series", ""},
    {"prediction", "id String, card String, kernel String, reading String, outcome String, added_ms Int64, entry String", "id", "id", "",
     Table::Part::other},
    {"baseline", "name String, id FixedString(32), series String, verdict String, set_ms Int64, written_us UInt64, removed UInt8", "name",
     "name", "", Table::Part::other},
    {"collective",
     "run String, step Int64, members String, nth UInt64, rank Int64, what String, duration_ns Int64, has_own UInt8, own_ns Int64, at_ms "
     "Int64",
     "(run, step, members, nth, rank)", "run, step", "", Table::Part::rank},
    {"membership", "run String, members String, rank Int64, at_ms Int64", "(run, members, rank)", "run", "", Table::Part::rank},
    {"run_rank", "run String, rank Int64, node String, step_ns Float64, collectives UInt64, at_ms Int64", "(run, rank)", "run", "",
     Table::Part::rank},
    {"record",
     "id FixedString(32), series String, at_ms Int64, commit_id String, schema String, mode String, source String, verdict String, "
     "gpu String, program String, machine String, software String, metric String, value Nullable(Float64)",
     "(series, at_ms, id)", "series", ""},
}};

// "frx.record".
std::string table(const Client& client, std::string_view name);
// The table that holds rows: "frx.record_local" on a cluster.
std::string table_of_rows(const Client& client, std::string_view name);

// For writing, database and tables are made where they are missing. Unreadable: there is no history there, one of a newer frx, or a cluster
// of more shards than the place has hosts.
Result<> open_tables(Client& client, Open how);

// Runs a statement on the tables of rows of all shards: through the coordinator of the cluster where it has one, else host by host.
// `statement` is given what stands behind the name of a table: "" or " ON CLUSTER NAME".
Result<> run_on_shards(Client& client, const std::function<std::string(std::string_view on_cluster)>& statement);

}  // namespace frx::history::clickhouse
