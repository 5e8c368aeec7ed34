#include "history/clickhouse/record_rows.h"

namespace frx::history::clickhouse {
namespace {

// Behind the key, in the order of record_columns.
constexpr std::array texts = {&Record::commit, &Record::schema,  &Record::mode,    &Record::source,   &Record::verdict,
                              &Record::gpu,    &Record::program, &Record::machine, &Record::software, &Record::metric};

}  // namespace

RowWriter& add_key(RowWriter& rows, const Record& record) { return rows.id(record.id).text(record.series).integer(record.at_ms); }

void add_record(RowWriter& rows, const Record& record) {
  add_key(rows, record);
  for (std::string Record::*const text : texts) rows.text(record.*text);
  rows.maybe(record.fact(record.metric));
}

Record record_in(RowReader& row) {
  Record record;
  record.id = row.id();
  record.series = row.text();
  record.at_ms = row.integer();
  for (std::string Record::*const text : texts) record.*text = row.text();
  if (const std::optional<double> value = row.maybe_real()) record.facts.push_back({record.metric, *value});
  return record;
}

}  // namespace frx::history::clickhouse
