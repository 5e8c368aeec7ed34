// The store of history/store.h on ClickHouse (clickhouse/tables.h): all questions are SQL that runs there.
//
// Of a batch that ends with an error, some records may be there, each of them whole; sending it again completes it. Two processes that
// record the same answer at the same moment may both be told that it was new. Of records of the same time the larger id counts as newer.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "history/clickhouse/client.h"
#include "history/clickhouse/tables.h"
#include "history/store.h"

namespace frx::history::clickhouse {

class ClickHouseStore final : public Store {
 public:
  // `rows_at_once`: of collectives that the server compares at a time; it holds some 400 bytes for each.
  explicit ClickHouseStore(Client client, std::uint64_t rows_at_once = 2'000'000)
      : client_(std::move(client)), rows_at_once_(rows_at_once) {}

  const std::string& name() const override { return client_.name(); }
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
  // A place in the order of time: records at or before it, or behind it.
  struct Key {
    std::int64_t at_ms = 0;
    std::string id;
  };
  // "system.parts", of every shard.
  std::string of_all_shards(std::string_view system_table) const;
  std::string in(std::string_view name) const { return table(client_, name); }

  Result<std::set<std::string>> known(std::string_view name, std::string_view condition, std::span<const std::string> ids);
  struct DatedPrediction {
    const RecordedPrediction* prediction = nullptr;
    std::int64_t at_ms = 0;
  };
  // How many of them are new.
  Result<std::size_t> add_predictions(std::span<const DatedPrediction> predictions);
  Result<> write_baseline(const Baseline& baseline, bool is_removed);
  Result<> read_details(Record& record);
  Result<std::vector<RecordedTime>> read_times(std::string_view name, const std::string& where);
  // A record without its document, and how many bytes that has.
  struct Entry {
    Record record;
    std::uint64_t bytes = 0;
  };
  // Of the table `document` behind a key, oldest first.
  Result<std::vector<Entry>> next_page(const std::optional<Key>& from);
  // Leaves those of records that are there, each once.
  Result<> drop_unfinished(std::vector<Entry>& page);
  Result<> read_documents(std::span<Entry> entries);
  // Records that meet a condition on series, at_ms and id, but for those that a baseline names. How many.
  Result<std::uint64_t> remove(const std::string& condition);
  Result<std::vector<std::string>> usual_steps(const std::string& whole, std::uint64_t ranks, std::vector<std::int64_t>& numbers);
  Result<> remove_rows(const Table& of, const std::string& where);
  Result<> wait_for_removal();

  Client client_;
  std::uint64_t rows_at_once_;
};

}  // namespace frx::history::clickhouse
