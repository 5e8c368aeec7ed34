#include "history/sqlite_writer.h"

#include "history/zipped.h"

namespace frx::history {

Result<Statement*> SqliteWriter::statement(std::string_view sql) {
  auto at = statements_.find(sql);
  if (at == statements_.end()) {
    TRY_ASSIGN(Statement made, connection_.prepare(sql));
    at = statements_.emplace(sql, std::move(made)).first;
  }
  return &at->second;
}

Result<std::int64_t> SqliteWriter::number_of(std::string_view table, std::string_view column, const std::string& text) {
  const std::string key = fmt::format("{}:{}", table, text);
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  TRY_ASSIGN(Statement * find, statement(fmt::format("SELECT id FROM {} WHERE {} = ?1", table, column)));
  TRY_ASSIGN(const bool is_there, find->bind(1, text).step());
  std::int64_t number = is_there ? find->integer(0) : 0;
  find->reset();
  if (!is_there) {
    TRY_ASSIGN(Statement * insert, statement(fmt::format("INSERT INTO {} ({}) VALUES (?1)", table, column)));
    TRY(insert->bind(1, text).run());
    number = connection_.last_row();
  }
  numbers_.emplace(key, number);
  return number;
}

Result<std::optional<std::int64_t>> SqliteWriter::maybe_number_of(std::string_view table, std::string_view column,
                                                                  const std::string& text) {
  if (text.empty()) return std::optional<std::int64_t>();
  TRY_ASSIGN(const std::int64_t number, number_of(table, column, text));
  return std::optional(number);
}

Result<bool> SqliteWriter::add(const Record& record) {
  TRY_ASSIGN(Statement * find, statement("SELECT 1 FROM record WHERE hash = ?1"));
  TRY_ASSIGN(const bool is_known, find->bind(1, record.id).step());
  find->reset();
  if (is_known) return false;
  TRY_ASSIGN(const std::int64_t series, number_of("series", "name", record.series));
  TRY_ASSIGN(const std::optional<std::int64_t> machine, maybe_number_of("machine", "facts", record.machine));
  TRY_ASSIGN(const std::optional<std::int64_t> metric, maybe_number_of("name", "text", record.metric));
  TRY_ASSIGN(Statement * insert,
             statement("INSERT INTO record (hash, series, at_ms, commit_id, schema, mode, source, verdict, gpu, program, "
                       "machine, software, metric, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
                       "?14)"));
  insert->bind(1, record.id)
      .bind(2, series)
      .bind(3, record.at_ms)
      .bind_or_null(4, record.commit)
      .bind(5, record.schema)
      .bind(6, record.mode);
  insert->bind_or_null(7, record.source).bind_or_null(8, record.verdict).bind_or_null(9, record.gpu).bind(10, record.program);
  insert->bind(11, machine).bind_or_null(12, record.software).bind(13, metric).bind(14, record.fact(record.metric));
  TRY(insert->run());
  const std::int64_t row = connection_.last_row();
  TRY(add_document(row, record));
  TRY(add_labels(row, record));
  TRY(add_facts(row, series, record));
  TRY(add_times(row, "INSERT INTO kernel (record, place, name, launches, us, label) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", record.kernels));
  TRY(add_times(row, "INSERT INTO operator (record, place, name, calls, us, label) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", record.operators));
  return true;
}

Result<> SqliteWriter::add_document(std::int64_t row, const Record& record) {
  TRY_ASSIGN(Statement * insert, statement("INSERT INTO document (record, bytes, zipped) VALUES (?1, ?2, ?3)"));
  insert->bind(1, row).bind(2, static_cast<std::int64_t>(record.document.size())).bind_blob(3, zipped(record.document));
  return insert->run();
}

Result<> SqliteWriter::add_labels(std::int64_t row, const Record& record) {
  TRY_ASSIGN(Statement * insert, statement("INSERT INTO label (record, place, name, at_ms, score) VALUES (?1, ?2, ?3, ?4, ?5)"));
  for (std::size_t i = 0; i < record.labels.size(); ++i) {
    TRY_ASSIGN(const std::int64_t name, number_of("name", "text", record.labels[i].name));
    insert->bind(1, row).bind(2, static_cast<std::int64_t>(i)).bind(3, name).bind(4, record.at_ms).bind(5, record.labels[i].score);
    TRY(insert->run());
  }
  return {};
}

Result<> SqliteWriter::add_facts(std::int64_t row, std::int64_t series, const Record& record) {
  TRY_ASSIGN(Statement * insert, statement("INSERT INTO fact (series, name, at_ms, record, value) VALUES (?1, ?2, ?3, ?4, ?5)"));
  for (const RecordedFact& fact : record.facts) {
    TRY_ASSIGN(const std::int64_t name, number_of("name", "text", fact.name));
    insert->bind(1, series).bind(2, name).bind(3, record.at_ms).bind(4, row).bind(5, std::optional(fact.value));
    TRY(insert->run());
  }
  return {};
}

Result<> SqliteWriter::add_times(std::int64_t row, std::string_view sql, const std::vector<RecordedTime>& times) {
  TRY_ASSIGN(Statement * insert, statement(sql));
  for (std::size_t i = 0; i < times.size(); ++i) {
    TRY_ASSIGN(const std::int64_t name, number_of("name", "text", times[i].name));
    insert->bind(1, row).bind(2, static_cast<std::int64_t>(i)).bind(3, name).bind(4, times[i].count).bind(5, times[i].us);
    insert->bind_or_null(6, times[i].label);
    TRY(insert->run());
  }
  return {};
}

Result<bool> SqliteWriter::add(const RecordedPrediction& prediction, std::int64_t at_ms) {
  TRY_ASSIGN(Statement * insert,
             statement("INSERT INTO prediction (id, card, kernel, reading, outcome, added_ms, entry) VALUES (?1, ?2, ?3, "
                       "?4, ?5, ?6, ?7) ON CONFLICT (id) DO NOTHING"));
  insert->bind(1, prediction.id)
      .bind(2, prediction.card)
      .bind(3, prediction.kernel)
      .bind(4, prediction.reading)
      .bind(5, prediction.outcome);
  insert->bind(6, at_ms).bind(7, prediction.entry);
  TRY(insert->run());
  return connection_.changes() > 0;
}

}  // namespace frx::history
