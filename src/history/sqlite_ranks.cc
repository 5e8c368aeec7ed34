// Ranks of runs in a database of SQLite, and the comparison of their collectives as one query.

#include "base/text.h"
#include "history/sqlite_store.h"
#include "history/sqlite_writer.h"

namespace frx::history {
namespace {

// ?1: the run. ?2: noise_times, ?3: least_ns, ?4: least_share of data/ranks/fleet.yaml. Of an even number of values the upper one in the
// middle counts, of own work the lower one, as in derive/ranks/fleet_step.cc.
constexpr std::string_view reduction = R"sql(
WITH here AS MATERIALIZED (SELECT step, members, nth, rank, what, duration_ns AS d, own_ns AS own FROM collective WHERE run = ?1),
usual_steps AS (SELECT step FROM here GROUP BY step HAVING 2 * count(DISTINCT rank) > (SELECT count(*) FROM run_rank WHERE run = ?1)),
sizes AS (SELECT members, count(DISTINCT rank) AS size FROM here GROUP BY members),
matched AS (
  SELECT step, members FROM (
    SELECT step, members, nth, count(*) AS n, count(DISTINCT what) AS kinds FROM here WHERE step IN (SELECT step FROM usual_steps)
    GROUP BY step, members, nth) JOIN sizes USING (members)
  GROUP BY step, members HAVING max(kinds) = 1 AND min(n) = max(size) AND max(n) = max(size) AND max(size) > 1),
ordered AS MATERIALIZED (
  SELECT step, members, nth, rank, d, own, count(*) OVER one AS n, count(own) OVER one AS known,
    row_number() OVER (one ORDER BY d) AS by_d, row_number() OVER (one ORDER BY own) AS by_own
  FROM here JOIN matched USING (step, members) WINDOW one AS (PARTITION BY step, members, nth)),
middles AS (
  SELECT step, members, nth, min(d) AS transfer, max(CASE WHEN by_d = n / 2 + 1 THEN d END) AS usual,
    max(CASE WHEN by_own = (n - 1) / 2 + 1 THEN own END) AS usual_own
  FROM ordered GROUP BY step, members, nth),
of_groups AS (
  SELECT step, rank, sum(CASE WHEN known = n THEN max(0, min(usual - d, own - usual_own)) ELSE 0 END) AS late, sum(d - transfer) AS waited,
    min(own IS NOT NULL) AS known
  FROM ordered JOIN middles USING (step, members, nth) GROUP BY step, members, rank),
of_steps AS MATERIALIZED (
  SELECT step, rank, max(late) AS late, sum(waited) AS waited FROM of_groups GROUP BY step, rank HAVING min(known) = 1),
placed AS (
  SELECT step, rank, late, waited, count(*) OVER (PARTITION BY step) AS n, row_number() OVER (PARTITION BY step ORDER BY late) AS i
  FROM of_steps),
apart AS MATERIALIZED (
  SELECT step, rank, late, waited, n, usual, abs(late - usual) AS distance,
    row_number() OVER (PARTITION BY step ORDER BY abs(late - usual)) AS i
  FROM placed JOIN (SELECT step, max(late) AS usual FROM placed WHERE i = n / 2 + 1 GROUP BY step) USING (step)),
limits AS (SELECT step, usual, distance / 0.67449 * ?2 AS noise FROM apart WHERE i = n / 2 + 1),
judged AS (
  SELECT rank, node, late, waited, late > max(limits.usual + noise, ?3, ?4 * step_ns) AS clear,
    late > max(limits.usual + noise / 2, ?3, ?4 * step_ns) AS leaning
  FROM apart JOIN limits USING (step) JOIN run_rank USING (rank) WHERE run = ?1)
SELECT rank, node, count(*), sum(clear), sum(leaning), sum(CASE WHEN clear THEN late ELSE 0 END),
  sum(CASE WHEN leaning THEN late ELSE 0 END), sum(waited)
FROM judged GROUP BY rank ORDER BY rank)sql";

}  // namespace

Result<std::vector<bool>> SqliteStore::add_ranks(const std::string& run, std::span<const RunRank> ranks, std::int64_t at_ms) {
  TRY_ASSIGN(Transaction transaction, Transaction::begin(connection_));
  std::vector<bool> is_new;
  {
    SqliteWriter writer(connection_);
    for (const RunRank& rank : ranks) {
      TRY_ASSIGN(const bool added, writer.add(run, rank, at_ms));
      is_new.push_back(added);
    }
  }
  TRY(transaction.commit());
  return is_new;
}

Result<RankReduction> SqliteStore::reduce_ranks(const std::string& run, const knowledge::FleetRules& rules) {
  RankReduction reduced;
  TRY_ASSIGN(
      Statement counts,
      connection_.prepare("SELECT r.id, (SELECT count(*) FROM run_rank WHERE run = r.id), (SELECT count(DISTINCT step) FROM collective "
                          "WHERE run = r.id), (SELECT count(*) FROM collective WHERE run = r.id) FROM run r WHERE r.name = ?1"));
  TRY_ASSIGN(const bool is_there, counts.bind(1, run).step());
  if (!is_there) return reduced;
  reduced.ranks = static_cast<std::uint64_t>(counts.integer(1));
  reduced.steps = static_cast<std::uint64_t>(counts.integer(2));
  reduced.collectives = static_cast<std::uint64_t>(counts.integer(3));
  TRY_ASSIGN(Statement statement, connection_.prepare(reduction));
  statement.bind(1, counts.integer(0)).bind(2, std::optional(rules.late.noise_times)).bind(3, std::optional(rules.late.least_ns));
  statement.bind(4, std::optional(rules.late.least_share));
  TRY_ASSIGN(reduced.hits, statement.all([](const Statement& row) {
    RankHits one{.rank = row.integer(0), .node = row.text(1)};
    one.steps = static_cast<std::uint64_t>(row.integer(2));
    one.clear = static_cast<std::uint64_t>(row.integer(3));
    one.leaning = static_cast<std::uint64_t>(row.integer(4));
    one.clear_ns = row.integer(5);
    one.leaning_ns = row.integer(6);
    one.waited_ns = row.integer(7);
    return one;
  }));
  return reduced;
}

Result<bool> SqliteWriter::add(const std::string& run, const RunRank& rank, std::int64_t at_ms) {
  TRY_ASSIGN(const std::int64_t number, number_of("run", "name", run));
  TRY_ASSIGN(Statement * insert,
             statement("INSERT INTO run_rank (run, rank, node, step_ns, at_ms) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING"));
  insert->bind(1, number).bind(2, rank.rank).bind_or_null(3, rank.node).bind(4, std::optional(rank.step_ns)).bind(5, at_ms);
  TRY(insert->run());
  if (connection_.changes() == 0) return false;
  TRY_ASSIGN(Statement * collective, statement("INSERT INTO collective (run, step, members, nth, rank, what, duration_ns, own_ns) VALUES "
                                               "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
  for (const RankCollective& one : rank.collectives) {
    TRY_ASSIGN(const std::int64_t members, number_of("name", "text", one.members));
    TRY_ASSIGN(const std::int64_t what, number_of("name", "text", one.what));
    collective->bind(1, number).bind(2, one.step).bind(3, members).bind(4, static_cast<std::int64_t>(one.nth)).bind(5, rank.rank);
    collective->bind(6, what).bind(7, one.duration_ns).bind(8, one.own_ns);
    TRY(collective->run());
  }
  return true;
}

}  // namespace frx::history
