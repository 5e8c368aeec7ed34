// Answers that are to be recorded, and exported histories that are to be imported: whatever the bytes are, a record keeps what its id says,
// and what is exported again is what was imported.
#include "base/files.h"
#include "fuzz/input.h"
#include "history/json_in.h"
#include "history/record_of.h"
#include "history/transfer.h"
#include "history/transfer_line.h"

namespace {

using frx::fuzz::require;
using namespace frx::history;

// Keeps records in memory: what is fuzzed is the reading.
class Memory final : public Store {
 public:
  const std::string& name() const override { return name_; }
  frx::Result<Stored> add(std::span<const Record> records) override {
    Stored stored;
    for (const Record& one : records) {
      require(one.id.size() == 64 && one.id == id_of(one) && !one.series.empty() && !one.schema.empty());
      stored.is_new.push_back(true);
      all.push_back(one);
    }
    return stored;
  }
  frx::Result<std::size_t> add(std::span<const RecordedPrediction> predictions, std::int64_t) override {
    for (const RecordedPrediction& one : predictions) require(!one.id.empty() && json_in(one.entry).has_value());
    return predictions.size();
  }
  frx::Result<std::vector<Summary>> list(const Filter&) override { return std::vector<Summary>(); }
  frx::Result<std::vector<SeriesSummary>> series(std::size_t) override { return std::vector<SeriesSummary>(); }
  frx::Result<std::optional<Record>> find(const std::string&) override { return std::optional(Record()); }
  frx::Result<std::vector<TrendPoint>> trend(const std::string&, const std::string&, std::size_t) override {
    return std::vector<TrendPoint>();
  }
  frx::Result<std::vector<std::string>> metrics(const std::string&) override { return std::vector<std::string>(); }
  frx::Result<> set_baseline(const std::string&, const std::string&, std::int64_t) override { return {}; }
  frx::Result<std::vector<Baseline>> baselines() override { return std::vector<Baseline>(); }
  frx::Result<bool> remove_baseline(const std::string&) override { return false; }
  frx::Result<std::vector<RecordedPrediction>> predictions() override { return std::vector<RecordedPrediction>(); }
  frx::Result<std::vector<bool>> add_ranks(const std::string&, std::span<const RunRank>, std::int64_t) override {
    return std::vector<bool>();
  }
  frx::Result<RankReduction> reduce_ranks(const std::string&, const frx::knowledge::FleetRules&) override { return RankReduction(); }
  frx::Result<> each_record(const std::function<frx::Result<>(const Record&)>& take) override {
    for (const Record& one : all) {
      if (frx::Result<> taken = take(one); !taken) return taken;
    }
    return {};
  }
  frx::Result<std::uint64_t> keep_newest(std::uint64_t) override { return std::uint64_t{0}; }
  frx::Result<std::uint64_t> remove_before(std::int64_t) override { return std::uint64_t{0}; }
  frx::Result<Checked> check() override { return Checked(); }

  std::vector<Record> all;

 private:
  std::string name_ = "memory";
};

void require_error(const frx::Error& error) { require(!error.message.empty() && error.message.find('\n') == std::string::npos); }

std::string exported(Store& store, TransferFormat format) {
  std::string text;
  const auto put = [&text](std::string_view part) -> frx::Result<> {
    text += part;
    return {};
  };
  require(export_history(store, format, put).has_value());
  return text;
}

void import_and_compare(std::string_view text) {
  Memory store;
  const frx::Result<Moved> moved = import_history(store, *frx::open_bytes(text), "a.ndjson", 0);
  if (!moved) return require_error(moved.error());
  for (const TransferFormat format : {TransferFormat::ndjson, TransferFormat::csv}) {
    const std::string once = exported(store, format);
    Memory again;
    require(import_history(again, *frx::open_bytes(once), "b", 0).has_value());
    require(again.all.size() == store.all.size() && exported(again, format) == once);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  if (const std::optional<frx::answer::Json> document = json_in(input.text())) {
    const frx::Result<Record> record = record_of(*document, {{}, 1000, "c", "0", ""}, "a.json");
    if (!record) {
      require_error(record.error());
    } else {
      require(record->kernels.size() <= most_kernels && record->facts.size() <= most_kernels && json_in(record->document).has_value());
      const std::string line = ndjson_of(line_of(*record));
      import_and_compare(line);
    }
  }
  import_and_compare(input.text());
  return 0;
}
