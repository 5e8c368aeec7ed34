// The store of history/store.h as a database of SQLite.
#pragma once

#include <string>
#include <vector>

#include "history/connection.h"
#include "history/store.h"

namespace frx::history {

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(Connection connection) : connection_(std::move(connection)) {}

  const std::string& name() const override { return connection_.path(); }
  Result<Stored> add(std::span<const Record> records) override;
  Result<std::size_t> add(std::span<const RecordedPrediction> predictions, std::int64_t at_ms) override;
  Result<std::vector<Summary>> list(const Filter& filter) override;
  Result<std::vector<SeriesSummary>> series(std::size_t limit) override;
  Result<std::optional<Record>> find(const std::string& id) override;
  Result<std::vector<TrendPoint>> trend(const std::string& series, const std::string& metric, std::size_t most) override;
  Result<std::vector<std::string>> metrics(const std::string& series) override;
  Result<> set_baseline(const std::string& name, const std::string& id, std::int64_t at_ms) override;
  Result<std::vector<Baseline>> baselines() override;
  Result<bool> remove_baseline(const std::string& name) override;
  Result<std::vector<RecordedPrediction>> predictions() override;
  Result<std::vector<bool>> add_ranks(const std::string& run, std::span<const RunRank> ranks, std::int64_t at_ms) override;
  Result<RankReduction> reduce_ranks(const std::string& run, const knowledge::FleetRules& rules) override;
  Result<> each_record(const std::function<Result<>(const Record&)>& take) override;
  Result<std::uint64_t> keep_newest(std::uint64_t keep) override;
  Result<std::uint64_t> remove_before(std::int64_t at_ms) override;
  Result<Checked> check() override;

 private:
  Result<Record> read_whole(const Statement& row);
  Result<> read_details(std::int64_t row, Record& record);
  Result<std::vector<RecordedTime>> read_times(std::string_view table, std::string_view count, std::int64_t row);
  Result<std::uint64_t> remove_in_batches(std::string_view which, std::span<const std::int64_t> parameters);
  Result<> check_documents(Checked& checked);

  Connection connection_;
};

}  // namespace frx::history
