#include "history/sqlite_store.h"

#include <algorithm>

#include "base/text.h"
#include "history/sqlite_writer.h"
#include "history/zipped.h"

namespace frx::history {
namespace {

constexpr std::string_view summary_columns =
    "r.id, r.hash, s.name, r.at_ms, r.commit_id, r.schema, r.mode, r.source, r.verdict, r.gpu, "
    "(SELECT text FROM name WHERE id = r.metric), r.value";
constexpr int value_column = 11;

Summary summary_in(const Statement& row) {
  return {.id = row.text(1),
          .series = row.text(2),
          .commit = row.text(4),
          .schema = row.text(5),
          .mode = row.text(6),
          .source = row.text(7),
          .verdict = row.text(8),
          .gpu = row.text(9),
          .metric = row.text(10),
          .at_ms = row.integer(3),
          .value = row.maybe_real(value_column)};
}

// The query of records with their documents. `rest`: its conditions and order.
std::string whole_records(std::string_view rest) {
  return fmt::format(
      "SELECT {}, r.program, (SELECT facts FROM machine WHERE id = r.machine), r.software, d.bytes, d.zipped FROM record r JOIN series s "
      "ON s.id = r.series JOIN document d ON d.record = r.id {}",
      summary_columns, rest);
}

// A text that is larger than all that begin so.
std::string end_of_prefix(const std::string& prefix) { return prefix + "\xf4\x8f\xbf\xbf"; }

}  // namespace

Result<Stored> SqliteStore::add(std::span<const Record> records) {
  TRY_ASSIGN(Transaction transaction, Transaction::begin(connection_));
  Stored stored;
  {
    SqliteWriter writer(connection_);
    for (const Record& record : records) {
      TRY_ASSIGN(const bool is_new, writer.add(record));
      stored.is_new.push_back(is_new);
      for (const RecordedPrediction& one : record.predictions) {
        TRY_ASSIGN(const bool was_new, writer.add(one, record.at_ms));
        stored.predictions += was_new;
      }
    }
  }
  TRY(transaction.commit());
  return stored;
}

Result<std::size_t> SqliteStore::add(std::span<const RecordedPrediction> predictions, std::int64_t at_ms) {
  TRY_ASSIGN(Transaction transaction, Transaction::begin(connection_));
  std::size_t added = 0;
  {
    SqliteWriter writer(connection_);
    for (const RecordedPrediction& one : predictions) {
      TRY_ASSIGN(const bool is_new, writer.add(one, at_ms));
      added += is_new;
    }
  }
  TRY(transaction.commit());
  return added;
}

// Whichever condition leaves fewest records leads: its index has them in the order of time.
Result<std::vector<Summary>> SqliteStore::list(const Filter& filter) {
  const bool by_label = !filter.label.empty();
  const std::string_view time = by_label ? "l" : "r", row = by_label ? "l.record" : "r.id";
  std::string sql = fmt::format("SELECT {} FROM ", summary_columns);
  sql += by_label ? "label l CROSS JOIN record r ON r.id = l.record JOIN series s ON s.id = r.series WHERE l.name = (SELECT id FROM name "
                    "WHERE text = ?1)"
                  : "record r JOIN series s ON s.id = r.series WHERE ?1 IS NULL";
  if (!filter.series.empty()) sql += " AND r.series = (SELECT id FROM series WHERE name = ?2)";
  if (!filter.commit.empty()) sql += " AND r.commit_id >= ?3 AND r.commit_id < ?4";
  if (filter.from_ms) sql += fmt::format(" AND {}.at_ms >= ?5", time);
  sql += fmt::format(" ORDER BY {}.at_ms DESC, {} DESC LIMIT ?6", time, row);
  TRY_ASSIGN(Statement statement, connection_.prepare(sql));
  statement.bind_or_null(1, filter.label);
  if (!filter.series.empty()) statement.bind(2, filter.series);
  if (!filter.commit.empty()) statement.bind(3, filter.commit).bind(4, end_of_prefix(filter.commit));
  if (filter.from_ms) statement.bind(5, *filter.from_ms);
  statement.bind(6, filter.limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(filter.limit));
  return statement.all(summary_in);
}

Result<std::vector<SeriesSummary>> SqliteStore::series(std::size_t limit) {
  TRY_ASSIGN(
      Statement statement,
      connection_.prepare("SELECT s.name, (SELECT count(*) FROM record WHERE series = s.id), (SELECT min(at_ms) FROM record WHERE series "
                          "= s.id), (SELECT max(at_ms) FROM record WHERE series = s.id) AS last FROM series s WHERE last IS NOT NULL ORDER "
                          "BY last DESC, s.id DESC LIMIT ?1"));
  statement.bind(1, static_cast<std::int64_t>(limit));
  return statement.all([](const Statement& row) {
    return SeriesSummary{row.text(0), static_cast<std::uint64_t>(row.integer(1)), row.integer(2), row.integer(3)};
  });
}

Result<std::vector<TrendPoint>> SqliteStore::trend(const std::string& series, const std::string& metric, std::size_t most) {
  TRY_ASSIGN(
      Statement statement,
      connection_.prepare("SELECT f.at_ms, f.value, r.hash, r.commit_id FROM fact f JOIN record r ON r.id = f.record WHERE f.series = "
                          "(SELECT id FROM series WHERE name = ?1) AND f.name = (SELECT id FROM name WHERE text = ?2) ORDER BY f.at_ms "
                          "DESC, f.record DESC LIMIT ?3"));
  statement.bind(1, series).bind(2, metric).bind(3, static_cast<std::int64_t>(most));
  TRY_ASSIGN(std::vector<TrendPoint> points, statement.all([](const Statement& row) {
    return TrendPoint{row.integer(0), row.real(1), row.text(2), row.text(3)};
  }));
  std::ranges::reverse(points);
  return points;
}

Result<std::vector<std::string>> SqliteStore::metrics(const std::string& series) {
  std::vector<std::string> names;
  Filter of_series;
  of_series.series = series;
  of_series.limit = 1;
  TRY_ASSIGN(const std::vector<Summary> last, list(of_series));
  if (last.empty()) return names;
  if (!last.front().metric.empty()) names.push_back(last.front().metric);
  TRY_ASSIGN(
      Statement statement,
      connection_.prepare("SELECT n.text FROM name n WHERE EXISTS (SELECT 1 FROM fact f WHERE f.series = (SELECT id FROM series WHERE "
                          "name = ?1) AND f.name = n.id) ORDER BY n.text"));
  statement.bind(1, series);
  TRY(statement.each([&](const Statement& row) -> Result<> {
    if (names.empty() || row.text(0) != names.front()) names.push_back(row.text(0));
    return {};
  }));
  return names;
}

Result<> SqliteStore::set_baseline(const std::string& name, const std::string& id, std::int64_t at_ms) {
  TRY_ASSIGN(const Record named, record(id));
  TRY_ASSIGN(Transaction transaction, Transaction::begin(connection_));
  {
    TRY_ASSIGN(
        Statement statement,
        connection_.prepare("INSERT INTO baseline (name, record, set_ms) VALUES (?1, (SELECT id FROM record WHERE hash = ?2), ?3) ON "
                            "CONFLICT (name) DO UPDATE SET record = excluded.record, set_ms = excluded.set_ms"));
    TRY(statement.bind(1, name).bind(2, named.id).bind(3, at_ms).run());
  }
  return transaction.commit();
}

Result<std::vector<Baseline>> SqliteStore::baselines() {
  TRY_ASSIGN(
      Statement statement,
      connection_.prepare("SELECT b.name, r.hash, s.name, r.verdict, b.set_ms FROM baseline b JOIN record r ON r.id = b.record JOIN series "
                          "s ON s.id = r.series ORDER BY b.name"));
  return statement.all([](const Statement& row) { return Baseline{row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4)}; });
}

Result<bool> SqliteStore::remove_baseline(const std::string& name) {
  TRY_ASSIGN(Statement statement, connection_.prepare("DELETE FROM baseline WHERE name = ?1"));
  TRY(statement.bind(1, name).run());
  return connection_.changes() > 0;
}

Result<std::vector<RecordedPrediction>> SqliteStore::predictions() {
  TRY_ASSIGN(Statement statement,
             connection_.prepare("SELECT id, card, kernel, reading, outcome, entry FROM prediction ORDER BY added_ms, id"));
  return statement.all([](const Statement& row) {
    return RecordedPrediction{row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5)};
  });
}

Result<std::optional<Record>> SqliteStore::find(const std::string& id) {
  const std::string begin = to_lower(id);
  if (!may_begin_id(begin)) return std::optional<Record>();
  TRY_ASSIGN(Statement statement, connection_.prepare(whole_records("WHERE r.hash >= ?1 AND r.hash < ?2 LIMIT 2")));
  statement.bind(1, begin).bind(2, begin + "g");
  TRY_ASSIGN(const bool is_there, statement.step());
  if (!is_there) return std::optional<Record>();
  TRY_ASSIGN(Record found, read_whole(statement));
  TRY(read_details(statement.integer(0), found));
  TRY_ASSIGN(const bool has_more, statement.step());
  if (has_more) return fail(ErrorKind::usage, "several records have an id that begins with '{}'", begin).at(name()).hint("give more of it");
  return std::optional(std::move(found));
}

// A row of whole_records().
Result<Record> SqliteStore::read_whole(const Statement& row) {
  Summary summary = summary_in(row);
  Record record;
  record.id = std::move(summary.id);
  record.series = std::move(summary.series);
  record.at_ms = summary.at_ms;
  record.commit = std::move(summary.commit);
  record.schema = std::move(summary.schema);
  record.mode = std::move(summary.mode);
  record.source = std::move(summary.source);
  record.verdict = std::move(summary.verdict);
  record.gpu = std::move(summary.gpu);
  record.metric = std::move(summary.metric);
  record.program = row.text(12);
  record.machine = row.text(13);
  record.software = row.text(14);
  std::optional<std::string> document = unzipped(row.blob(16), static_cast<std::uint64_t>(row.integer(15)));
  if (!document) {
    return fail(ErrorKind::malformed, "the document of record {} is damaged", record.id.substr(0, 12))
        .at(name())
        .hint("frx history check finds all that are");
  }
  record.document = std::move(*document);
  return record;
}

Result<> SqliteStore::read_details(std::int64_t row, Record& record) {
  TRY_ASSIGN(Statement labels,
             connection_.prepare("SELECT n.text, l.score FROM label l JOIN name n ON n.id = l.name WHERE l.record = ?1 ORDER BY "
                                 "l.place"));
  labels.bind(1, row);
  TRY_ASSIGN(record.labels, labels.all([](const Statement& label) { return RecordedLabel{label.text(0), label.maybe_real(1)}; }));
  TRY_ASSIGN(Statement facts,
             connection_.prepare("SELECT n.text, f.value FROM fact f JOIN name n ON n.id = f.name WHERE f.record = ?1 ORDER BY "
                                 "n.text"));
  facts.bind(1, row);
  TRY_ASSIGN(record.facts, facts.all([](const Statement& fact) { return RecordedFact{fact.text(0), fact.real(1)}; }));
  TRY_ASSIGN(record.kernels, read_times("kernel", "launches", row));
  TRY_ASSIGN(record.operators, read_times("operator", "calls", row));
  return {};
}

Result<std::vector<RecordedTime>> SqliteStore::read_times(std::string_view table, std::string_view count, std::int64_t row) {
  TRY_ASSIGN(Statement statement,
             connection_.prepare(fmt::format("SELECT n.text, t.{}, t.us, t.label FROM {} t JOIN name n ON n.id = t.name "
                                             "WHERE t.record = ?1 ORDER BY t.place",
                                             count, table)));
  statement.bind(1, row);
  return statement.all([](const Statement& one) {
    return RecordedTime{one.text(0), one.maybe_integer(1), one.maybe_real(2), one.text(3)};
  });
}

Result<> SqliteStore::each_record(const std::function<Result<>(const Record&)>& take) {
  TRY_ASSIGN(Statement statement, connection_.prepare(whole_records("ORDER BY r.at_ms, r.id")));
  return statement.each([&](const Statement& row) -> Result<> {
    TRY_ASSIGN(Record record, read_whole(row));
    if (const std::optional<double> value = row.maybe_real(value_column)) record.facts.push_back({record.metric, *value});
    return take(record);
  });
}

}  // namespace frx::history
