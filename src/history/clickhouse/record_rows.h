// The rows of a record; that of the table `record` has the same columns in `document`.
#pragma once

#include <span>
#include <string_view>

#include "history/clickhouse/client.h"
#include "history/clickhouse/row_binary.h"
#include "history/record.h"

namespace frx::history::clickhouse {

inline constexpr std::string_view record_columns =
    "id, series, at_ms, commit_id, schema, mode, source, verdict, gpu, program, machine, software, metric, value";

// Id, series and time, with which the rows of all tables of a record begin.
RowWriter& add_key(RowWriter& rows, const Record& record);

void add_record(RowWriter& rows, const Record& record);

// Without document and details; of the facts the one that is shown first.
Record record_in(RowReader& row);

// All rows of records, whether they are there already or not. The row in `record` is written last: with it, a record is there.
Result<> insert_records(Client& client, std::span<const Record* const> records);

}  // namespace frx::history::clickhouse
