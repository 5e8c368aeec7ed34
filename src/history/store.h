// Where the records of a history lie, whatever keeps them. Narrow on purpose: batches that are written once however often they are sent (by
// content hash), and the questions that the commands ask.
//
// Times are milliseconds since 1970, UTC. Records come newest first unless a function says otherwise. Errors name the store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "history/compared_ranks.h"
#include "history/record.h"
#include "history/run_rank.h"

namespace frx::history {

// Which records; what is empty or absent asks for nothing.
struct Filter {
  std::string series, label, commit;    // the commit by its beginning
  std::optional<std::int64_t> from_ms;  // at that time or later
  std::size_t limit = 20;               // 0: no limit
};

// A record without its details.
struct Summary {
  std::string id, series, commit, schema, mode, source, verdict, gpu, metric;
  std::int64_t at_ms = 0;
  std::optional<double> value;  // of `metric`
};

struct SeriesSummary {
  std::string name;
  std::uint64_t records = 0;
  std::int64_t first_ms = 0, last_ms = 0;
};

// One value of a series.
struct TrendPoint {
  std::int64_t at_ms = 0;
  double value = 0;
  std::string id, commit;
};

struct Baseline {
  std::string name, id, series, verdict;
  std::int64_t set_ms = 0;
};

struct Stored {
  std::vector<bool> is_new;     // of each record that was given
  std::size_t predictions = 0;  // that are new
};

class Store {
 public:
  virtual ~Store() = default;
  virtual const std::string& name() const = 0;

  // Each whole or not at all; with an error, SQLite has none of them, and ClickHouse may have some, which the next try completes. Those
  // that are there already stay as they are.
  virtual Result<Stored> add(std::span<const Record> records) = 0;
  virtual Result<std::size_t> add(std::span<const RecordedPrediction> predictions, std::int64_t at_ms) = 0;

  virtual Result<std::vector<Summary>> list(const Filter& filter) = 0;
  // Newest use first.
  virtual Result<std::vector<SeriesSummary>> series(std::size_t limit) = 0;
  // The one record whose id begins so; absent where none does. Usage: several do.
  virtual Result<std::optional<Record>> find(const std::string& id) = 0;
  // The same. Usage: none or several do.
  Result<Record> record(const std::string& id);
  // Of the last `most` records of a series that have the metric, oldest first.
  virtual Result<std::vector<TrendPoint>> trend(const std::string& series, const std::string& metric, std::size_t most) = 0;
  // The names of its facts, and the one of its last record that is shown first.
  virtual Result<std::vector<std::string>> metrics(const std::string& series) = 0;

  virtual Result<> set_baseline(const std::string& name, const std::string& id, std::int64_t at_ms) = 0;
  virtual Result<std::vector<Baseline>> baselines() = 0;  // by name
  virtual Result<bool> remove_baseline(const std::string& name) = 0;

  // The scored predictions, oldest first.
  virtual Result<std::vector<RecordedPrediction>> predictions() = 0;

  // Ranks of a run, each whole or not at all; one that is there stays as it is. Whether each was new.
  virtual Result<std::vector<bool>> add_ranks(const std::string& run, std::span<const RunRank> ranks, std::int64_t at_ms) = 0;
  // Compares the collectives of all ranks of a run, in the store. No ranks: there is no such run.
  virtual Result<RankReduction> reduce_ranks(const std::string& run, const knowledge::FleetRules& rules) = 0;

  // All records with their documents, oldest first, one after the other.
  virtual Result<> each_record(const std::function<Result<>(const Record&)>& take) = 0;

  // Removes all but the newest `keep` of each series, or what is older than a time, but for records that a baseline names. How many.
  // What is older takes ranks with it.
  virtual Result<std::uint64_t> keep_newest(std::uint64_t keep) = 0;
  virtual Result<std::uint64_t> remove_before(std::int64_t at_ms) = 0;

  struct Checked {
    std::uint64_t records = 0, bytes = 0;
    std::vector<std::string> faults;  // sentences
  };
  // Reads everything: the structure of the store, and that every document has the content of its hash.
  virtual Result<Checked> check() = 0;
};

// Whether an id may begin so: hexadecimal digits in small letters, 64 at most.
bool may_begin_id(std::string_view text);

// Of a store that asks for them; "" where none is set.
struct Credentials {
  std::string user, password;
};

// The database of SQLite at a path, or the one of ClickHouse at an address (clickhouse/place.h). For reading it has to be there.
enum class Open : std::uint8_t { to_read, to_write };
Result<std::unique_ptr<Store>> open_store(const std::string& store, Open how, const Credentials& credentials = {});

}  // namespace frx::history
