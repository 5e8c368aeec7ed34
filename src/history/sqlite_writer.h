// Writes records within a transaction: the rows of a record, each name once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "history/connection.h"
#include "history/store.h"

namespace frx::history {

// Lives within one transaction: what it remembers of names is gone with a rollback.
class SqliteWriter {
 public:
  explicit SqliteWriter(Connection& connection) : connection_(connection) {}

  // Whether it was new.
  Result<bool> add(const Record& record);
  Result<bool> add(const RecordedPrediction& prediction, std::int64_t at_ms);
  Result<bool> add(const std::string& run, const RunRank& rank, std::int64_t at_ms);

 private:
  Result<Statement*> statement(std::string_view sql);
  Result<std::int64_t> number_of(std::string_view table, std::string_view column, const std::string& text);
  Result<std::optional<std::int64_t>> maybe_number_of(std::string_view table, std::string_view column, const std::string& text);
  Result<> add_document(std::int64_t row, const Record& record);
  Result<> add_labels(std::int64_t row, const Record& record);
  Result<> add_facts(std::int64_t row, std::int64_t series, const Record& record);
  Result<> add_times(std::int64_t row, std::string_view sql, const std::vector<RecordedTime>& times);

  Connection& connection_;
  std::map<std::string, Statement, std::less<>> statements_;
  std::map<std::string, std::int64_t, std::less<>> numbers_;  // "name:gpu_busy_fraction"
};

}  // namespace frx::history
