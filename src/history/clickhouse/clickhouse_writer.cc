// What is written into a history on ClickHouse.

#include <algorithm>
#include <chrono>
#include <set>

#include "base/text.h"
#include "history/clickhouse/clickhouse_store.h"
#include "history/clickhouse/literal.h"
#include "history/clickhouse/record_rows.h"

namespace frx::history::clickhouse {
namespace {

constexpr std::size_t records_at_once = 1000;

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

void add_times(RowWriter& rows, const Record& record, const std::vector<RecordedTime>& times) {
  for (std::size_t i = 0; i < times.size(); ++i)
    add_key(rows, record).natural(i).text(times[i].name).maybe(times[i].count).maybe(times[i].us).text(times[i].label);
}

void add_prediction(RowWriter& rows, const RecordedPrediction& one, std::int64_t at_ms) {
  rows.text(one.id).text(one.card).text(one.kernel).text(one.reading).text(one.outcome).integer(at_ms).text(one.entry);
}

constexpr std::string_view time_columns = "id, series, at_ms, place, name, count, us, label";
constexpr std::string_view prediction_columns = "id, card, kernel, reading, outcome, added_ms, entry";

}  // namespace

// The row in `record` last: with it, the record is there.
Result<> insert_records(Client& client, std::span<const Record* const> records) {
  RowWriter document, label, fact, kernel, operators, record;
  for (const Record* one : records) {
    add_record(document, *one);
    document.natural(one->document.size()).text(one->document);
    for (std::size_t i = 0; i < one->labels.size(); ++i)
      add_key(label, *one).natural(i).text(one->labels[i].name).maybe(one->labels[i].score);
    for (const RecordedFact& value : one->facts) add_key(fact, *one).text(one->commit).text(value.name).real(value.value);
    add_times(kernel, *one, one->kernels);
    add_times(operators, *one, one->operators);
    add_record(record, *one);
  }
  TRY(client.insert(table(client, "document"), fmt::format("{}, bytes, document", record_columns), document.bytes));
  TRY(client.insert(table(client, "label"), "id, series, at_ms, place, name, score", label.bytes));
  TRY(client.insert(table(client, "fact"), "id, series, at_ms, commit_id, name, value", fact.bytes));
  TRY(client.insert(table(client, "kernel"), time_columns, kernel.bytes));
  TRY(client.insert(table(client, "operator"), time_columns, operators.bytes));
  return client.insert(table(client, "record"), record_columns, record.bytes);
}

// Which of these ids a table has. Those of records lie by series, and are 32 bytes.
Result<std::set<std::string>> ClickHouseStore::known(std::string_view name, std::string_view condition, std::span<const std::string> ids) {
  std::set<std::string> found;
  const bool are_records = name == "record";
  for (std::size_t i = 0; i < ids.size(); i += ids_at_once) {
    const std::span<const std::string> some = ids.subspan(i, std::min(ids_at_once, ids.size() - i));
    TRY_ASSIGN(const std::vector<std::string> there, client_.all(fmt::format("SELECT DISTINCT id FROM {} WHERE {} AND id IN {}", in(name),
                                                                             condition, are_records ? id_literals(some) : literals(some)),
                                                                 [&](RowReader& row) { return are_records ? row.id() : row.text(); }));
    found.insert(there.begin(), there.end());
  }
  return found;
}

Result<Stored> ClickHouseStore::add(std::span<const Record> records) {
  Stored stored;
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    std::vector<std::string> ids, names;
    for (std::size_t bytes = 0; end < records.size() && end - begin < records_at_once && (end == begin || bytes < bytes_at_once); ++end) {
      ids.push_back(records[end].id);
      names.push_back(records[end].series);
      bytes += records[end].document.size();
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    TRY_ASSIGN(std::set<std::string> there, known("record", "series IN " + literals(names), ids));
    std::vector<const Record*> fresh;
    for (const Record& record : records.subspan(begin, end - begin)) {
      stored.is_new.push_back(there.insert(record.id).second);
      if (stored.is_new.back()) fresh.push_back(&record);
    }
    std::vector<DatedPrediction> predictions;
    for (const Record& record : records.subspan(begin, end - begin)) {
      for (const RecordedPrediction& one : record.predictions) predictions.push_back({&one, record.at_ms});
    }
    TRY_ASSIGN(const std::size_t added, add_predictions(predictions));
    stored.predictions += added;
    TRY(insert_records(client_, fresh));
  }
  return stored;
}

Result<std::size_t> ClickHouseStore::add(std::span<const RecordedPrediction> predictions, std::int64_t at_ms) {
  std::vector<DatedPrediction> dated;
  for (const RecordedPrediction& one : predictions) dated.push_back({&one, at_ms});
  return add_predictions(dated);
}

Result<std::size_t> ClickHouseStore::add_predictions(std::span<const DatedPrediction> predictions) {
  std::vector<std::string> ids;
  for (const DatedPrediction& one : predictions) ids.push_back(one.prediction->id);
  TRY_ASSIGN(std::set<std::string> there, known("prediction", "1", ids));
  RowWriter rows;
  std::size_t added = 0;
  for (const DatedPrediction& one : predictions) {
    if (!there.insert(one.prediction->id).second) continue;
    add_prediction(rows, *one.prediction, one.at_ms);
    ++added;
  }
  TRY(client_.insert(in("prediction"), prediction_columns, rows.bytes));
  return added;
}

Result<> ClickHouseStore::set_baseline(const std::string& baseline, const std::string& id, std::int64_t at_ms) {
  TRY_ASSIGN(const Record named, record(id));
  return write_baseline({.name = baseline, .id = named.id, .series = named.series, .verdict = named.verdict, .set_ms = at_ms}, false);
}

Result<bool> ClickHouseStore::remove_baseline(const std::string& baseline) {
  TRY_ASSIGN(const std::vector<Baseline> all, baselines());
  const auto named = std::ranges::find(all, baseline, &Baseline::name);
  if (named == all.end()) return false;
  TRY(write_baseline(*named, true));
  return true;
}

// The row that was written last counts: also after one of a machine whose clock is ahead.
Result<> ClickHouseStore::write_baseline(const Baseline& one, bool is_removed) {
  TRY_ASSIGN(const std::uint64_t before,
             client_.number(fmt::format("SELECT max(written_us) FROM {} WHERE name = {}", in("baseline"), literal(one.name))));
  RowWriter row;
  row.text(one.name)
      .id(one.id)
      .text(one.series)
      .text(one.verdict)
      .integer(one.set_ms)
      .natural(std::max(now_us(), before + 1))
      .flag(is_removed);
  return client_.insert(in("baseline"), "name, id, series, verdict, set_ms, written_us, removed", row.bytes);
}

}  // namespace frx::history::clickhouse
