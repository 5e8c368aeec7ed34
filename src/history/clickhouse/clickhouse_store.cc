#include "history/clickhouse/clickhouse_store.h"

#include <algorithm>

#include "base/text.h"
#include "history/clickhouse/literal.h"
#include "history/clickhouse/record_rows.h"

namespace frx::history::clickhouse {
namespace {

Summary summary_in(RowReader& row) {
  Record record = record_in(row);
  return {.id = std::move(record.id),
          .series = std::move(record.series),
          .commit = std::move(record.commit),
          .schema = std::move(record.schema),
          .mode = std::move(record.mode),
          .source = std::move(record.source),
          .verdict = std::move(record.verdict),
          .gpu = std::move(record.gpu),
          .metric = record.metric,
          .at_ms = record.at_ms,
          .value = record.fact(record.metric)};
}

}  // namespace

// First the keys alone, which are small, of all that fit; then the rows of those that are shown.
Result<std::vector<Summary>> ClickHouseStore::list(const Filter& filter) {
  std::string where = "1";
  if (!filter.series.empty()) where += " AND series = " + literal(filter.series);
  if (!filter.commit.empty()) where += " AND startsWith(commit_id, " + literal(filter.commit) + ")";
  if (filter.from_ms) where += fmt::format(" AND at_ms >= {}", *filter.from_ms);
  if (!filter.label.empty()) {
    where += fmt::format(" AND id GLOBAL IN (SELECT id FROM {} WHERE name = {}", in("label"), literal(filter.label));
    if (filter.from_ms) where += fmt::format(" AND at_ms >= {}", *filter.from_ms);
    where += ")";
  }
  const std::string order = "ORDER BY at_ms DESC, id DESC LIMIT 1 BY id";
  const std::string keys = fmt::format("SELECT at_ms, id FROM {} WHERE {} {} LIMIT {}", in("record"), where, order, filter.limit);
  if (filter.limit > 0) {
    const bool has_series = !filter.series.empty();
    where = fmt::format("{}(at_ms, id) GLOBAL IN ({})", has_series ? fmt::format("series = {} AND ", literal(filter.series)) : "", keys);
  }
  return client_.all(
      fmt::format("SELECT {} FROM {} {} {} {}", record_columns, in("record"), filter.limit > 0 ? "PREWHERE" : "WHERE", where, order),
      summary_in);
}

Result<std::vector<SeriesSummary>> ClickHouseStore::series(std::size_t limit) {
  return client_.all(fmt::format("SELECT series, uniqExact(id), min(at_ms), max(at_ms) AS last FROM {} GROUP BY series ORDER BY last DESC, "
                                 "series DESC LIMIT {}",
                                 in("record"), limit),
                     [](RowReader& row) {
                       SeriesSummary one;
                       one.name = row.text();
                       one.records = row.natural();
                       one.first_ms = row.integer();
                       one.last_ms = row.integer();
                       return one;
                     });
}

Result<std::vector<TrendPoint>> ClickHouseStore::trend(const std::string& series, const std::string& metric, std::size_t most) {
  const std::string of_series = "series = " + literal(series);
  TRY_ASSIGN(
      std::vector<TrendPoint> points,
      client_.all(fmt::format("SELECT at_ms, value, id, commit_id FROM {} WHERE {} AND name = {} AND id GLOBAL IN (SELECT id FROM {} "
                              "WHERE {}) ORDER BY at_ms DESC, id DESC LIMIT 1 BY id LIMIT {}",
                              in("fact"), of_series, literal(metric), in("record"), of_series, most),
                  [](RowReader& row) {
                    TrendPoint point;
                    point.at_ms = row.integer();
                    point.value = row.real();
                    point.id = row.id();
                    point.commit = row.text();
                    return point;
                  }));
  std::ranges::reverse(points);
  return points;
}

Result<std::vector<std::string>> ClickHouseStore::metrics(const std::string& series) {
  std::vector<std::string> names;
  TRY_ASSIGN(const std::vector<Summary> last, list({.series = series, .label = {}, .commit = {}, .from_ms = {}, .limit = 1}));
  if (last.empty()) return names;
  if (!last.front().metric.empty()) names.push_back(last.front().metric);
  const std::string of_series = "series = " + literal(series);
  TRY_ASSIGN(const std::vector<std::string> all,
             client_.all(fmt::format("SELECT DISTINCT name FROM {} WHERE {} AND id GLOBAL IN (SELECT id FROM {} WHERE {}) ORDER BY name",
                                     in("fact"), of_series, in("record"), of_series),
                         [](RowReader& row) { return row.text(); }));
  for (const std::string& name : all) {
    if (name != last.front().metric) names.push_back(name);
  }
  return names;
}

Result<std::vector<Baseline>> ClickHouseStore::baselines() {
  return client_.all(fmt::format("SELECT name, argMax(id, written_us), argMax(series, written_us), argMax(verdict, written_us), "
                                 "argMax(set_ms, written_us) FROM {} GROUP BY name HAVING argMax(removed, written_us) = 0 ORDER BY name",
                                 in("baseline")),
                     [](RowReader& row) {
                       Baseline one;
                       one.name = row.text();
                       one.id = row.id();
                       one.series = row.text();
                       one.verdict = row.text();
                       one.set_ms = row.integer();
                       return one;
                     });
}

Result<std::vector<RecordedPrediction>> ClickHouseStore::predictions() {
  return client_.all(
      fmt::format("SELECT id, card, kernel, reading, outcome, entry FROM {} ORDER BY added_ms, id LIMIT 1 BY id", in("prediction")),
      [](RowReader& row) {
        RecordedPrediction one;
        for (std::string RecordedPrediction::*const member :
             {&RecordedPrediction::id, &RecordedPrediction::card, &RecordedPrediction::kernel, &RecordedPrediction::reading,
              &RecordedPrediction::outcome, &RecordedPrediction::entry})
          one.*member = row.text();
        return one;
      });
}

Result<std::optional<Record>> ClickHouseStore::find(const std::string& id) {
  const std::string begin = to_lower(id);
  constexpr std::size_t digits_of_id = 64;
  if (!may_begin_id(begin)) return std::optional<Record>();
  const auto filled = [&](char with) { return id_literal(begin + std::string(digits_of_id - begin.size(), with)); };
  TRY_ASSIGN(std::vector<Record> found, client_.all(fmt::format("SELECT {} FROM {} PREWHERE id >= {} AND id <= {} ORDER BY at_ms DESC, id "
                                                                "LIMIT 1 BY id LIMIT 2",
                                                                record_columns, in("record"), filled('0'), filled('f')),
                                                    record_in));
  if (found.empty()) return std::optional<Record>();
  if (found.size() > 1)
    return fail(ErrorKind::usage, "several records have an id that begins with '{}'", begin).at(printable(name())).hint("give more of it");
  TRY(read_details(found.front()));
  return std::optional(std::move(found.front()));
}

Result<> ClickHouseStore::read_details(Record& record) {
  const std::string where =
      fmt::format("series = {} AND at_ms = {} AND id = {}", literal(record.series), record.at_ms, id_literal(record.id));
  TRY_ASSIGN(record.labels,
             client_.all(fmt::format("SELECT name, score FROM {} WHERE {} ORDER BY place LIMIT 1 BY place", in("label"), where),
                         [](RowReader& row) {
                           RecordedLabel label;
                           label.name = row.text();
                           label.score = row.maybe_real();
                           return label;
                         }));
  TRY_ASSIGN(record.facts, client_.all(fmt::format("SELECT name, value FROM {} WHERE {} ORDER BY name LIMIT 1 BY name", in("fact"), where),
                                       [](RowReader& row) {
                                         RecordedFact fact;
                                         fact.name = row.text();
                                         fact.value = row.real();
                                         return fact;
                                       }));
  TRY_ASSIGN(record.kernels, read_times("kernel", where));
  TRY_ASSIGN(record.operators, read_times("operator", where));
  TRY_ASSIGN(std::vector<std::string> documents, client_.all(fmt::format("SELECT document FROM {} WHERE at_ms = {} AND id = {} LIMIT 1",
                                                                         in("document"), record.at_ms, id_literal(record.id)),
                                                             [](RowReader& row) { return row.text(); }));
  if (documents.empty()) {
    return fail(ErrorKind::malformed, "the document of record {} is not there", record.id.substr(0, 12))
        .at(printable(name()))
        .hint("frx history check finds all that are missing");
  }
  record.document = std::move(documents.front());
  return {};
}

Result<std::vector<RecordedTime>> ClickHouseStore::read_times(std::string_view table_name, const std::string& where) {
  return client_.all(fmt::format("SELECT name, count, us, label FROM {} WHERE {} ORDER BY place LIMIT 1 BY place", in(table_name), where),
                     [](RowReader& row) {
                       RecordedTime time;
                       time.name = row.text();
                       time.count = row.maybe_integer();
                       time.us = row.maybe_real();
                       time.label = row.text();
                       return time;
                     });
}

}  // namespace frx::history::clickhouse
