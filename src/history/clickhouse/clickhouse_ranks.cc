// Ranks of runs on ClickHouse, and the comparison of their collectives as one query.

#include <map>
#include <set>

#include "base/text.h"
#include "history/clickhouse/clickhouse_store.h"
#include "history/clickhouse/literal.h"

namespace frx::history::clickhouse {
namespace {

constexpr std::size_t ranks_at_once = 64, steps_at_once = 10'000;

// What the names in { } of both queries stand for: {rows}: the table of collectives; {steps}: a condition on steps; {whole}: one on ranks,
// those of the run that are there with all of their rows; {sizes}: how many ranks a group has; {noise_times}, {least_ns}, {least_share},
// {fewest_peers}: of data/ranks/fleet.yaml; {run_ranks}: the ranks of the run.
constexpr std::string_view sizes = R"sql(
SELECT members, uniqExact(rank) AS most FROM {memberships} WHERE {whole} GROUP BY members HAVING most > 1)sql";

// From the inside out: each collective with its members, each once; groups whose collectives all members have; what each member came later
// by work of its own; that of each rank and step; the limits of each step; each rank. Of an even number of values the upper one in the
// middle counts, of own work the lower one, as in derive/ranks/fleet_step.cc.
constexpr std::string_view late_ranks = R"sql(
SELECT rank, toFloat64(sum(waited)), count(), countIf(late > clear), countIf(late > leaning), toFloat64(sumIf(late, late > clear)),
  toFloat64(sumIf(late, late > leaning)), toFloat64(0), toFloat64(0),
  arrayStringConcat(arrayMap(x -> toString(x), groupArrayIf(step, late > clear)), ',')
FROM (
  SELECT rank, step, late, waited, greatest(usual + noise, limit) AS clear, greatest(usual + noise / 2, limit) AS leaning
  FROM (
    SELECT step, one.1 AS rank, one.2 AS late, one.3 AS waited, usual, noise
    FROM (
      SELECT step, groupArray((rank, late, waited)) AS list, arraySort(groupArray(late)) AS lates, lates[intDiv(length(lates), 2) + 1] AS usual,
        arraySort(arrayMap(x -> abs(x - usual), lates))[intDiv(length(lates), 2) + 1] / 0.67449 * {noise_times} AS noise
      FROM (
        SELECT step, rank, max(late) AS late, sum(waited) AS waited
        FROM (
          SELECT step, members, member.1 AS rank,
            sum(if(is_known, greatest(toInt64(0), least(usual - member.2, member.4 - usual_own)), toInt64(0))) AS late,
            sum(member.2 - transfer) AS waited, min(member.3) AS known
          FROM (
            SELECT step, members, call, arraySort(arrayMap(x -> x.2, call)) AS durations, arraySort(arrayMap(x -> x.4, call)) AS works,
              durations[1] AS transfer, durations[intDiv(length(call), 2) + 1] AS usual, works[intDiv(length(call) - 1, 2) + 1] AS usual_own,
              arrayAll(x -> x.3 = 1, call) AS is_known
            FROM (
              SELECT step, members, calls
              FROM (
                SELECT step, members, groupArray(ranks) AS calls, min(length(ranks)) AS fewest, max(length(ranks)) AS most
                FROM (
                  SELECT step, members, nth, groupArray((rank, duration_ns, has_own, own_ns)) AS sent, uniqExact(what) AS kinds,
                    arrayFilter((x, time) -> time = 1, sent, arrayEnumerateUniq(arrayMap(x -> x.1, sent))) AS ranks
                  FROM {rows} WHERE {steps} AND {whole} GROUP BY step, members, nth)
                GROUP BY step, members HAVING fewest = most AND max(kinds) = 1) AS groups
              ALL INNER JOIN ({sizes}) AS sizes USING (members, most))
            ARRAY JOIN calls AS call)
          ARRAY JOIN call AS member
          GROUP BY step, members, rank)
        GROUP BY step, rank HAVING min(known) = 1)
      GROUP BY step)
    ARRAY JOIN list AS one) AS found
  ALL INNER JOIN (SELECT rank, greatest(toFloat64({least_ns}), toFloat64({least_share}) * any(step_ns)) AS limit FROM {run_ranks} GROUP BY rank) AS heads
  USING (rank))
GROUP BY rank)sql";

// From the inside out: each collective with the time of its transfer; groups whose collectives all members have; the limits of groups of
// one size with the same collectives in a step; each group.
constexpr std::string_view slow_groups = R"sql(
SELECT members, toFloat64(sum(transfer)), countIf(compared), countIf(clear), countIf(leaning), toFloat64(sumIf(excess, clear)),
  toFloat64(sumIf(excess, leaning)), sumIf(ratio, clear), sumIf(ratio, leaning),
  arrayStringConcat(arrayMap(x -> toString(x), groupArrayIf(step, clear)), ','), count(), sum(calls)
FROM (
  SELECT step, one.1 AS members, one.2 AS transfer, one.3 AS calls, transfer - usual AS excess,
    if(usual > 0, transfer / usual, toFloat64(0)) AS ratio, length(list) >= {fewest_peers} AS compared,
    greatest(toFloat64({least_ns}), toFloat64({least_share}) * usual) AS least,
    compared AND excess > greatest(noise, least) AS clear, compared AND excess > greatest(noise / 2, least) AS leaning
  FROM (
    SELECT step, most, sequence, groupArray((members, transfer, calls)) AS list, arraySort(groupArray(transfer)) AS times,
      times[intDiv(length(times), 2) + 1] AS usual,
      arraySort(arrayMap(x -> abs(x - usual), times))[intDiv(length(times), 2) + 1] / 0.67449 * {noise_times} AS noise
    FROM (
      SELECT step, members, most, transfer, calls, sequence
      FROM (
        SELECT step, members, sum(shortest) AS transfer, count() AS calls, min(size) AS fewest, max(size) AS most,
          arrayStringConcat(arrayMap(x -> x.2, arraySort(groupArray((nth, word)))), '\n') AS sequence
        FROM (
          SELECT step, members, nth, min(duration_ns) AS shortest, uniqExact(rank) AS size, any(what) AS word, uniqExact(what) AS kinds
          FROM {rows} WHERE {steps} AND {whole} GROUP BY step, members, nth)
        GROUP BY step, members HAVING fewest = most AND max(kinds) = 1) AS groups
      ALL INNER JOIN ({sizes}) AS sizes USING (members, most))
    GROUP BY step, most, sequence)
  ARRAY JOIN list AS one)
GROUP BY members)sql";

// Of columns 2 to 9 of both queries.
StepHits hits_in(RowReader& row) {
  StepHits hits;
  hits.steps = row.natural();
  hits.clear = row.natural();
  hits.leaning = row.natural();
  hits.clear_ns = row.real();
  hits.leaning_ns = row.real();
  hits.clear_ratios = row.real();
  hits.leaning_ratios = row.real();
  hits.clear_steps = numbers_in(row.text());
  return hits;
}

RankHits rank_in(RowReader& row) {
  RankHits one;
  one.rank = row.integer();
  one.waited_ns = row.real();
  one.late = hits_in(row);
  return one;
}

GroupHits group_in(RowReader& row) {
  GroupHits one;
  one.members = row.text();
  one.transfer_ns = row.real();
  one.slow = hits_in(row);
  one.steps = row.natural();
  one.collectives = row.natural();
  return one;
}

}  // namespace

Result<std::vector<bool>> ClickHouseStore::add_ranks(const std::string& run, std::span<const RunRank> ranks, std::int64_t at_ms) {
  if (ranks.empty()) return std::vector<bool>();
  std::string numbers;
  for (const RunRank& rank : ranks) numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", rank.rank);
  TRY_ASSIGN(const std::vector<std::int64_t> there,
             client_.all(fmt::format("SELECT DISTINCT rank FROM {} WHERE run = {} AND rank IN ({})", in("run_rank"), literal(run), numbers),
                         [](RowReader& row) { return row.integer(); }));
  std::set<std::int64_t> known(there.begin(), there.end());
  std::vector<bool> is_new;
  RowWriter collectives, memberships, heads;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RunRank& rank = ranks[i];
    is_new.push_back(known.insert(rank.rank).second);
    if (is_new.back()) {
      std::set<std::string_view> groups;
      for (const RankCollective& one : rank.collectives) {
        if (groups.insert(one.members).second) memberships.text(run).text(one.members).integer(rank.rank).integer(at_ms);
        collectives.text(run).integer(one.step).text(one.members).natural(one.nth).integer(rank.rank).text(one.what);
        collectives.integer(one.duration_ns).flag(one.own_ns.has_value()).integer(one.own_ns.value_or(0)).integer(at_ms);
      }
      heads.text(run).integer(rank.rank).text(rank.node).real(rank.step_ns).natural(rank.collectives.size()).integer(at_ms);
    }
    if (i + 1 < ranks.size() && (i + 1) % ranks_at_once != 0) continue;
    // A rank is there when its row in run_rank is.
    TRY(client_.insert(in("collective"), "run, step, members, nth, rank, what, duration_ns, has_own, own_ns, at_ms", collectives.bytes));
    TRY(client_.insert(in("membership"), "run, members, rank, at_ms", memberships.bytes));
    TRY(client_.insert(in("run_rank"), "run, rank, node, step_ns, collectives, at_ms", heads.bytes));
    collectives.bytes.clear();
    memberships.bytes.clear();
    heads.bytes.clear();
  }
  return is_new;
}

// Steps that more than half of the ranks have, which are put into `numbers`, so many at once that the server holds a limited number of
// rows: conditions on them.
Result<std::vector<std::string>> ClickHouseStore::usual_steps(const std::string& whole, std::uint64_t ranks,
                                                              std::vector<std::int64_t>& numbers) {
  struct Step {
    std::int64_t number = 0;
    std::uint64_t rows = 0;
  };
  TRY_ASSIGN(const std::vector<Step> steps,
             client_.all(fmt::format("SELECT step, count() FROM {} WHERE {} GROUP BY step HAVING 2 * uniqExact(rank) > {} ORDER BY step",
                                     in("collective"), whole, ranks),
                         [](RowReader& row) {
                           const std::int64_t number = row.integer();
                           return Step{number, row.natural()};
                         }));
  for (const Step& step : steps) numbers.push_back(step.number);
  std::vector<std::string> conditions;
  for (std::size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
    std::string list;
    for (std::uint64_t rows = 0;
         end < steps.size() && end - begin < steps_at_once && (end == begin || rows + steps[end].rows <= rows_at_once_); ++end) {
      rows += steps[end].rows;
      list += fmt::format("{}{}", list.empty() ? "" : ",", steps[end].number);
    }
    conditions.push_back(fmt::format("step IN ({})", list));
  }
  return conditions;
}

Result<RankReduction> ClickHouseStore::reduce_ranks(const std::string& run, const knowledge::FleetRules& rules) {
  RankReduction reduced;
  const std::string of_run = "run = " + literal(run), run_ranks = fmt::format("{} WHERE {}", in("run_rank"), of_run);
  const std::string whole = fmt::format("{} AND rank GLOBAL IN (SELECT rank FROM {})", of_run, run_ranks);
  TRY_ASSIGN(reduced.ranks, client_.all(fmt::format("SELECT rank, any(node), any(step_ns) FROM {} GROUP BY rank ORDER BY rank", run_ranks),
                                        [](RowReader& row) {
                                          derive::ranks::FleetRank rank;
                                          rank.rank = row.integer();
                                          rank.node = row.text();
                                          rank.step_ns = row.real();
                                          return rank;
                                        }));
  if (reduced.ranks.empty()) return reduced;
  TRY_ASSIGN(reduced.collectives,
             client_.number(fmt::format("SELECT sum(calls) FROM (SELECT any(collectives) AS calls FROM {} GROUP BY rank)", run_ranks)));
  TRY_ASSIGN(
      reduced.groups,
      client_.all(fmt::format("SELECT members, arrayStringConcat(arrayMap(x -> toString(x), groupUniqArray(rank)), ',') FROM {} WHERE "
                              "{} GROUP BY members HAVING uniqExact(rank) > 1",
                              in("membership"), whole),
                  [](RowReader& row) {
                    std::string members = row.text();
                    return GroupOfRanks{std::move(members), numbers_in(row.text())};
                  }));
  TRY_ASSIGN(const std::vector<std::string> parts, usual_steps(whole, reduced.ranks.size(), reduced.steps));
  const std::string of_sizes = fmt::format(fmt::runtime(sizes), fmt::arg("memberships", in("membership")), fmt::arg("whole", whole));
  std::map<std::int64_t, RankHits> by_rank;
  std::map<std::string, GroupHits> by_group;
  for (const std::string& steps : parts) {
    const auto query = [&](std::string_view text, const knowledge::FleetThreshold& threshold) {
      return fmt::format(fmt::runtime(text), fmt::arg("rows", in("collective")), fmt::arg("sizes", of_sizes), fmt::arg("steps", steps),
                         fmt::arg("run_ranks", run_ranks), fmt::arg("whole", whole), fmt::arg("noise_times", threshold.noise_times),
                         fmt::arg("least_ns", threshold.least_ns), fmt::arg("least_share", threshold.least_share),
                         fmt::arg("fewest_peers", rules.fewest_peers));
    };
    TRY_ASSIGN(const std::vector<RankHits> ranks, client_.all(query(late_ranks, rules.late), rank_in));
    for (const RankHits& one : ranks) {
      RankHits& sum = by_rank.try_emplace(one.rank, RankHits{.rank = one.rank, .late = {}}).first->second;
      sum.late.add(one.late);
      sum.waited_ns += one.waited_ns;
    }
    TRY_ASSIGN(const std::vector<GroupHits> groups, client_.all(query(slow_groups, rules.slow_link), group_in));
    for (const GroupHits& one : groups) {
      GroupHits& sum = by_group.try_emplace(one.members, GroupHits{.members = one.members, .slow = {}}).first->second;
      sum.slow.add(one.slow);
      sum.steps += one.steps;
      sum.collectives += one.collectives;
      sum.transfer_ns += one.transfer_ns;
    }
  }
  for (auto& [rank, hits] : by_rank) reduced.hits.push_back(std::move(hits));
  for (auto& [members, hits] : by_group) reduced.transfers.push_back(std::move(hits));
  return reduced;
}

}  // namespace frx::history::clickhouse
