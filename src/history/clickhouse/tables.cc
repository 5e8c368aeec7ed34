#include "history/clickhouse/tables.h"

#include "base/safe_text.h"
#include "history/clickhouse/literal.h"

namespace frx::history::clickhouse {
namespace {

constexpr std::uint64_t version = 1;
constexpr int unknown_table = 60, unknown_database = 81;
constexpr Table version_table{"frx_schema", "version UInt64", "version", "version", "", Table::Part::other};

bool is_clustered(const Client& client) { return !client.place().cluster.empty(); }

// Whether the servers have ZooKeeper or Keeper, which replicas and statements for a whole cluster need.
Result<bool> has_coordinator(Client& client) {
  if (!is_clustered(client)) return false;
  TRY_ASSIGN(const std::uint64_t found,
             client.number("SELECT count() FROM system.tables WHERE database = 'system' AND name = 'zookeeper'"));
  return found > 0;
}

// Replicas of a shard share a path in the coordinator; the macros are those of the configuration of each server.
std::string engine_of(const Client& client, const Table& one, bool is_replicated) {
  const std::string_view newest = one.name == "baseline" ? "written_us" : "";
  if (!is_replicated) return fmt::format("ReplacingMergeTree({})", newest);
  return fmt::format("ReplicatedReplacingMergeTree('/clickhouse/tables/{{shard}}/{}/{}', '{{replica}}'{}{})", client.place().database,
                     one.name, newest.empty() ? "" : ", ", newest);
}

Result<> make_table(Client& client, const Table& one, bool is_replicated) {
  const clickhouse::Place& place = client.place();
  TRY(run_on_shards(client, [&](std::string_view on_cluster) {
    return fmt::format("CREATE TABLE IF NOT EXISTS {}{} ({}) ENGINE = {} ORDER BY {} {}", table_of_rows(client, one.name), on_cluster,
                       one.columns, engine_of(client, one, is_replicated), one.order, one.more);
  }));
  if (!is_clustered(client)) return {};
  return run_on_shards(client, [&](std::string_view on_cluster) {
    return fmt::format("CREATE TABLE IF NOT EXISTS {}{} ({}) ENGINE = Distributed({}, {}, {}_local, cityHash64({}))",
                       table(client, one.name), on_cluster, one.columns, literal(place.cluster), place.database, one.name, one.shard);
  });
}

// Without a coordinator a statement reaches only the shards whose hosts are named.
Result<> expect_a_host_of_each_shard(Client& client, bool is_coordinated) {
  TRY_ASSIGN(const std::uint64_t shards, client.number(fmt::format("SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = {}",
                                                                   literal(client.place().cluster))));
  if (shards == 0) {
    return fail(ErrorKind::unreadable, "the server knows no cluster '{}'", client.place().cluster)
        .at(printable(client.name()))
        .hint("it is named in remote_servers of the configuration of the server");
  }
  if (is_coordinated || shards <= client.place().hosts.size()) return {};
  return fail(ErrorKind::unreadable, "the cluster has {} shards and no coordinator, and {} of its hosts are named", shards,
              client.place().hosts.size())
      .at(printable(client.name()))
      .hint("name one host of each shard: clickhouse://HOST,HOST/DATABASE?cluster=NAME");
}

Result<> make_tables(Client& client) {
  TRY_ASSIGN(const bool is_replicated, has_coordinator(client));
  TRY(run_on_shards(client, [&](std::string_view on_cluster) {
    return fmt::format("CREATE DATABASE IF NOT EXISTS {}{}", client.place().database, on_cluster);
  }));
  for (const Table& one : tables) TRY(make_table(client, one, is_replicated));
  TRY(make_table(client, version_table, is_replicated));
  // Last: with the version there, all are.
  return client.insert(table(client, version_table.name), "version", RowWriter().natural(version).bytes);
}

}  // namespace

std::string table(const Client& client, std::string_view name) { return fmt::format("{}.{}", client.place().database, name); }

std::string table_of_rows(const Client& client, std::string_view name) {
  return table(client, name) + (is_clustered(client) ? "_local" : "");
}

Result<> open_tables(Client& client, Open how) {
  TRY_ASSIGN(const std::optional<std::uint64_t> found,
             client.number_unless(fmt::format("SELECT max(version) FROM {}", table(client, version_table.name)),
                                  {unknown_table, unknown_database}));
  if (found && *found > version) {
    return fail(ErrorKind::unreadable, "the history is one of a newer frx")
        .at(printable(client.name()))
        .hint("use that frx, or a newer one");
  }
  if (found && *found == version) return {};
  if (how == Open::to_write) return make_tables(client);
  return fail(ErrorKind::unreadable, "there is no history of frx in this database")
      .at(printable(client.name()))
      .hint("frx history record makes one; a history of shards needs its ?cluster=NAME");
}

Result<> run_on_shards(Client& client, const std::function<std::string(std::string_view on_cluster)>& statement) {
  TRY_ASSIGN(const bool is_coordinated, has_coordinator(client));
  if (is_clustered(client)) TRY(expect_a_host_of_each_shard(client, is_coordinated));
  if (is_coordinated) return client.run(statement(fmt::format(" ON CLUSTER {}", literal(client.place().cluster))));
  return is_clustered(client) ? client.run_on_each(statement("")) : client.run(statement(""));
}

}  // namespace frx::history::clickhouse
