// Ranks of runs in a database of SQLite, and the comparison of their collectives as one query.

#include "base/text.h"
#include "history/sqlite_store.h"
#include "history/sqlite_writer.h"

namespace frx::history {
namespace {

// ?1: the run. What both queries begin with: its collectives, and groups whose members have the same ones in a step.
constexpr std::string_view matched = R"sql(
WITH here AS MATERIALIZED (SELECT step, members, nth, rank, what, duration_ns AS d, own_ns AS own FROM collective WHERE run = ?1),
usual_steps AS (SELECT step FROM here GROUP BY step HAVING 2 * count(DISTINCT rank) > (SELECT count(*) FROM run_rank WHERE run = ?1)),
sizes AS (SELECT members, count(DISTINCT rank) AS size FROM here GROUP BY members),
matched AS (
  SELECT step, members, max(size) AS size FROM (
    SELECT step, members, nth, count(*) AS n, count(DISTINCT what) AS kinds FROM here WHERE step IN (SELECT step FROM usual_steps)
    GROUP BY step, members, nth) JOIN sizes USING (members)
  GROUP BY step, members HAVING max(kinds) = 1 AND min(n) = max(size) AND max(n) = max(size) AND max(size) > 1),
)sql";

// What each rank came later by work of its own. ?2: noise_times, ?3: least_ns, ?4: least_share of `late` in data/ranks/fleet.yaml. Of an
// even number of values the upper one in the middle counts, of own work the lower one, as in derive/ranks/fleet_step.cc.
constexpr std::string_view late_ranks = R"sql(
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
  SELECT rank, step, late, waited, late > max(limits.usual + noise, ?3, ?4 * step_ns) AS clear,
    late > max(limits.usual + noise / 2, ?3, ?4 * step_ns) AS leaning
  FROM apart JOIN limits USING (step) JOIN run_rank USING (rank) WHERE run = ?1)
SELECT rank, sum(waited), count(*), sum(clear), sum(leaning), sum(CASE WHEN clear THEN late ELSE 0 END),
  sum(CASE WHEN leaning THEN late ELSE 0 END), 0, 0, group_concat(CASE WHEN clear THEN step END)
FROM judged GROUP BY rank)sql";

// How long the transfers of each group took beside those of groups of its size with the same collectives. ?2: noise_times, ?3: least_ns,
// ?4: least_share of `slow_link`, ?5: fewest_peers. SQLite keeps the order of a subquery where group_concat asks for it.
constexpr std::string_view slow_groups = R"sql(
transfers AS (
  SELECT step, members, nth, size, min(d) AS transfer, min(what) AS what FROM here JOIN matched USING (step, members)
  GROUP BY step, members, nth),
of_groups AS (
  SELECT step, members, size, sum(transfer) AS transfer, count(*) AS calls, group_concat(what) AS what
  FROM (SELECT * FROM transfers ORDER BY step, members, nth) GROUP BY step, members),
placed AS MATERIALIZED (
  SELECT step, members, size, what, transfer, calls, count(*) OVER alike AS n, row_number() OVER (alike ORDER BY transfer) AS i
  FROM of_groups WINDOW alike AS (PARTITION BY step, size, what)),
apart AS MATERIALIZED (
  SELECT step, members, size, what, transfer, calls, n, usual, abs(transfer - usual) AS distance,
    row_number() OVER (PARTITION BY step, size, what ORDER BY abs(transfer - usual)) AS i
  FROM placed JOIN (SELECT step, size, what, transfer AS usual FROM placed WHERE i = n / 2 + 1) USING (step, size, what)),
judged AS (
  SELECT members, step, calls, transfer, transfer - usual AS excess, CASE WHEN usual > 0 THEN 1.0 * transfer / usual ELSE 0 END AS ratio,
    n >= ?5 AS compared, n >= ?5 AND transfer - usual > max(noise, ?3, ?4 * usual) AS clear,
    n >= ?5 AND transfer - usual > max(noise / 2, ?3, ?4 * usual) AS leaning
  FROM apart JOIN (SELECT step, size, what, distance / 0.67449 * ?2 AS noise FROM apart WHERE i = n / 2 + 1) USING (step, size, what))
SELECT text, sum(transfer), sum(compared), sum(clear), sum(leaning), sum(CASE WHEN clear THEN excess ELSE 0 END),
  sum(CASE WHEN leaning THEN excess ELSE 0 END), sum(CASE WHEN clear THEN ratio ELSE 0 END),
  sum(CASE WHEN leaning THEN ratio ELSE 0 END), group_concat(CASE WHEN clear THEN step END), count(*), sum(calls)
FROM judged JOIN name ON name.id = judged.members GROUP BY judged.members)sql";

// Of columns 2 to 9 of both queries.
StepHits hits_in(const Statement& row) {
  return {.steps = static_cast<std::uint64_t>(row.integer(2)),
          .clear = static_cast<std::uint64_t>(row.integer(3)),
          .leaning = static_cast<std::uint64_t>(row.integer(4)),
          .clear_ns = row.real(5),
          .leaning_ns = row.real(6),
          .clear_ratios = row.real(7),
          .leaning_ratios = row.real(8),
          .clear_steps = numbers_in(row.text(9))};
}

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
  TRY_ASSIGN(Statement known, connection_.prepare("SELECT id, (SELECT count(*) FROM collective WHERE run = id) FROM run WHERE name = ?1"));
  TRY_ASSIGN(const bool is_there, known.bind(1, run).step());
  if (!is_there) return reduced;
  const std::int64_t id = known.integer(0);
  reduced.collectives = static_cast<std::uint64_t>(known.integer(1));
  TRY_ASSIGN(Statement ranks, connection_.prepare("SELECT rank, node, step_ns FROM run_rank WHERE run = ?1 ORDER BY rank"));
  TRY_ASSIGN(reduced.ranks, ranks.bind(1, id).all([](const Statement& row) {
    return derive::ranks::FleetRank{.rank = row.integer(0), .node = row.text(1), .steps = {}, .step_ns = row.real(2), .base_time_ns = 0};
  }));
  TRY_ASSIGN(Statement steps,
             connection_.prepare("SELECT step FROM collective WHERE run = ?1 GROUP BY step HAVING 2 * count(DISTINCT rank) > "
                                 "(SELECT count(*) FROM run_rank WHERE run = ?1) ORDER BY step"));
  TRY_ASSIGN(reduced.steps, steps.bind(1, id).all([](const Statement& row) { return row.integer(0); }));
  TRY_ASSIGN(Statement groups,
             connection_.prepare("SELECT text, group_concat(rank) FROM (SELECT DISTINCT members, rank FROM collective WHERE run = ?1) JOIN "
                                 "name ON name.id = members GROUP BY members HAVING count(*) > 1"));
  TRY_ASSIGN(reduced.groups, groups.bind(1, id).all([](const Statement& row) {
    return GroupOfRanks{row.text(0), numbers_in(row.text(1))};
  }));
  const auto compared = [&](std::string_view query, const knowledge::FleetThreshold& threshold) -> Result<Statement> {
    TRY_ASSIGN(Statement statement, connection_.prepare(std::string(matched).append(query)));
    statement.bind(1, id).bind(2, std::optional(threshold.noise_times)).bind(3, std::optional(threshold.least_ns));
    statement.bind(4, std::optional(threshold.least_share));
    return statement;
  };
  TRY_ASSIGN(Statement late, compared(late_ranks, rules.late));
  TRY_ASSIGN(reduced.hits, late.all([](const Statement& row) { return RankHits{row.integer(0), hits_in(row), row.real(1)}; }));
  TRY_ASSIGN(Statement slow, compared(slow_groups, rules.slow_link));
  TRY_ASSIGN(reduced.transfers, slow.bind(5, static_cast<std::int64_t>(rules.fewest_peers)).all([](const Statement& row) {
    return GroupHits{row.text(0), hits_in(row), static_cast<std::uint64_t>(row.integer(10)), static_cast<std::uint64_t>(row.integer(11)),
                     row.real(1)};
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
