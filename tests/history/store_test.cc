// What every store of a history has to do, whatever keeps it.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/files.h"
#include "history/clickhouse/record_rows.h"
#include "history/json_in.h"
#include "history/made_record.h"
#include "history/on_each_store.h"
#include "history/store.h"
#include "history/transfer.h"

namespace frx::history {
namespace {

class StoreTest : public OnEachStore {
 protected:
  // Every row of a record as a second process would write it; SQLite has no such moment.
  void add_behind_its_back(const Record& again) {
    if (!servers) return;
    clickhouse::Client client = *clickhouse::Client::connect(*clickhouse::place_in(servers->address("kept")), {});
    ASSERT_TRUE(clickhouse::insert_records(client, std::vector<const Record*>{&again}));
  }

  static std::string exported(Store& store, TransferFormat format) {
    std::string text;
    EXPECT_TRUE(export_history(store, format, [&](std::string_view part) -> Result<> {
      text += part;
      return {};
    }));
    return text;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, ::testing::Values("SQLite", "ClickHouse", "Chdb"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(StoreTest, KeepsTheSameAnswerOnce) {
  const auto store = open();
  const std::vector<Record> records = {record(1), record(2), record(1)};
  const Result<Stored> stored = store->add(records);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->is_new, (std::vector<bool>{true, true, false}));
  EXPECT_EQ((*store->add(std::vector{record(1, 5000)})).is_new, std::vector<bool>{false});
  EXPECT_EQ((*store->add(std::vector{record(1, 1000, "abcdef")})).is_new, std::vector<bool>{true});
  EXPECT_EQ((*store->add(std::vector{record(1, 1000, "c0ffee", "other")})).is_new, std::vector<bool>{true});
}

TEST_P(StoreTest, GivesBackWhatWasKept) {
  const auto store = open();
  const Record kept = record(12.5);
  ASSERT_TRUE(store->add(std::vector{kept}));
  const Result<Record> read = store->record(kept.id.substr(0, 10));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->document, kept.document);
  EXPECT_EQ(read->fact("seconds"), 12.5);
  EXPECT_FALSE(read->fact("launches"));  // null is not 0
  EXPECT_EQ(read->commit, "c0ffee");
  EXPECT_EQ(read->machine, kept.machine);
  EXPECT_FALSE(store->record("ffffffffffff"));
}

TEST_P(StoreTest, ListsByEveryFilter) {
  const auto store = open();
  ASSERT_TRUE(store->add(std::vector{record(1, 1000, "aaaa"), record(2, 2000, "bbbb"), record(3, 3000, "bbcc", "t")}));
  const auto count = [&](const Filter& filter) { return store->list(filter)->size(); };
  EXPECT_EQ(count({}), 3u);
  EXPECT_EQ(count({.series = "t", .label = {}, .commit = {}, .from_ms = {}}), 1u);
  EXPECT_EQ(count({.series = {}, .label = {}, .commit = "bb", .from_ms = {}}), 2u);
  EXPECT_EQ(count({.series = {}, .label = {}, .commit = {}, .from_ms = 2000}), 2u);
  EXPECT_EQ(count({.series = {}, .label = "none", .commit = {}, .from_ms = {}}), 0u);
  EXPECT_EQ(store->list({})->front().at_ms, 3000);
  EXPECT_EQ(store->trend("s", "seconds", 10)->size(), 2u);
  EXPECT_EQ(store->trend("s", "seconds", 1)->front().value, 2);
}

TEST_P(StoreTest, ExportedAndImportedIsEqual) {
  const auto store = open();
  ASSERT_TRUE(store->add(std::vector{record(1, 1000), record(2, 2001, ""), record(3, 3000, "x\"y,z\n", "a,\"b\"")}));
  ASSERT_TRUE(store->set_baseline("n, \"1\"", record(2, 2001, "").id, 77));
  const RecordedPrediction prediction{
      "p1", "card", "k", "r", "held", R"({"schema":"prediction_v1","id":"p1","card":"card","kernel":"k","reading":"r","outcome":"held"})"};
  ASSERT_TRUE(store->add(std::vector{prediction}, 5));
  for (const TransferFormat format : {TransferFormat::ndjson, TransferFormat::csv}) {
    const std::string text = exported(*store, format);
    const auto copy = open(format == TransferFormat::csv ? "of_csv" : "of_ndjson");
    const Result<Moved> moved = import_history(*copy, *open_bytes(text), "copy", 5);
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ(moved->records, 3u);
    EXPECT_EQ(exported(*copy, format), text);
    EXPECT_EQ(import_history(*copy, *open_bytes(text), "copy", 9)->known, 3u);
    EXPECT_EQ(exported(*copy, format), text);
  }
}

TEST_P(StoreTest, PrunesAllButTheNewestAndTheNamed) {
  const auto store = open();
  std::vector<Record> records;
  for (int i = 0; i < 2500; ++i) records.push_back(record(i + 1, 1000 + i));
  ASSERT_TRUE(store->add(records));
  ASSERT_TRUE(store->set_baseline("first", records[0].id, 1));
  EXPECT_EQ(*store->keep_newest(100), 2399u);
  EXPECT_EQ(store->list({.series = {}, .label = {}, .commit = {}, .from_ms = {}, .limit = 0})->size(), 101u);
  EXPECT_EQ(*store->remove_before(1000 + 2450), 50u);
  EXPECT_TRUE(store->record(records[0].id));
  EXPECT_TRUE(store->check()->faults.empty());
}

TEST_P(StoreTest, KeepsAllOfFewerThanAreToStay) {
  const auto store = open();
  ASSERT_TRUE(store->add(std::vector{record(1), record(2)}));
  for (const std::uint64_t keep : {std::uint64_t{2}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_EQ(*store->keep_newest(keep), 0u) << keep;
    EXPECT_EQ(store->list({})->size(), 2u) << keep;
  }
}

TEST_P(StoreTest, FindsNoneOneOrSeveral) {
  const auto store = open();
  std::vector<Record> records;
  for (int i = 0; i < 17; ++i) records.push_back(record(i + 1));  // two of them begin with the same digit
  ASSERT_TRUE(store->add(records));
  std::string shared;
  for (const Record& one : records) {
    const auto begins_so = [&](const Record& other) { return other.id[0] == one.id[0]; };
    if (std::ranges::count_if(records, begins_so) > 1) shared = one.id.substr(0, 1);
  }
  EXPECT_EQ((*store->find(records[0].id))->id, records[0].id);
  for (const char* unknown : {"ffffffffffff", "release", ""}) EXPECT_FALSE(store->find(unknown)->has_value()) << unknown;
  const Result<std::optional<Record>> several = store->find(shared);
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().kind, ErrorKind::usage);
}

// Labels, facts, kernels, operators and predictions of a whole answer, from one store into the other.
TEST_P(StoreTest, KeepsEveryDetail) {
  const auto store = open();
  Record whole = record(12.5);
  whole.verdict = "memory_bound";
  whole.labels = {{"memory_bound", 0.1 + 0.2}, {"launch_bound", std::nullopt}};
  whole.facts = {{"a", 5e-324}, {"seconds", 12.5}, {"z", -0.0}};
  whole.kernels = {{"k<float, 'x'>", 3, 1.5, "memory_bound"}, {"k2", std::nullopt, std::nullopt, ""}};
  whole.operators = {{"aten::mm", std::int64_t{1} << 62, 1e300, ""}};
  whole.predictions = {{"p1", "card", "k", "r", "held", "{}"}, {"p2", "card", "k", "r", "missed", "{}"}};
  EXPECT_EQ(store->add(std::vector{whole})->predictions, 2u);
  EXPECT_EQ(store->add(std::vector{whole})->predictions, 0u);
  const Result<std::optional<Record>> read = store->find(whole.id);
  ASSERT_TRUE(read && *read);
  ASSERT_EQ((*read)->labels.size(), 2u);
  EXPECT_EQ((*read)->labels[0].score, 0.1 + 0.2);
  EXPECT_EQ((*read)->labels[1].score, std::nullopt);
  EXPECT_EQ((*read)->fact("a"), 5e-324);
  ASSERT_EQ((*read)->kernels.size(), 2u);
  EXPECT_EQ((*read)->kernels[0].name, "k<float, 'x'>");
  EXPECT_EQ((*read)->kernels[0].count, 3);
  EXPECT_EQ((*read)->kernels[1].us, std::nullopt);
  ASSERT_EQ((*read)->operators.size(), 1u);
  EXPECT_EQ((*read)->operators[0].count, std::int64_t{1} << 62);
  EXPECT_EQ((*read)->operators[0].us, 1e300);
  EXPECT_EQ(store->predictions()->size(), 2u);
  EXPECT_EQ(*store->metrics("s"), (std::vector<std::string>{"seconds", "a", "z"}));
  EXPECT_EQ(store->list({.series = {}, .label = "launch_bound", .commit = {}, .from_ms = {}})->size(), 1u);
}

// A text of a user is one text to the store, whatever bytes it has.
TEST_P(StoreTest, KeepsAnyText) {
  const auto store = open();
  std::mt19937 random(7);
  std::vector<std::string> names = {"'",          "\\'", "\\",           "a\n\t\r\b\f", "') OR 1 = 1 --",
                                    "{x:String}", "%27", "\xe2\x82\xac", "\\x27",       "/* */;"};
  for (int i = 0; i < 40; ++i) {
    std::string name(1 + random() % 20, ' ');
    for (char& c : name) c = "\\'\"`%;-#/*\n\t 0xu{}()"[random() % 21];
    names.push_back(name);
  }
  std::vector<Record> records;
  for (std::size_t i = 0; i < names.size(); ++i) records.push_back(record(static_cast<double>(i), 1000 + i, names[i], "s" + names[i]));
  ASSERT_TRUE(store->add(records));
  for (const std::string& name : names) {
    const Result<std::vector<Summary>> found = store->list({.series = "s" + name, .label = {}, .commit = name, .from_ms = {}});
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), static_cast<std::size_t>(std::ranges::count(names, name))) << name;
    EXPECT_EQ(found->front().series, "s" + name);
    EXPECT_EQ(store->trend("s" + name, "seconds", 5)->size(), found->size());
    ASSERT_TRUE(store->set_baseline(name, found->front().id, 7));
  }
  const std::vector<Baseline> baselines = *store->baselines();
  for (const Baseline& one : baselines) EXPECT_EQ(*store->remove_baseline(one.name), true) << one.name;
  EXPECT_TRUE(store->baselines()->empty());
}

TEST_P(StoreTest, BaselinesAreSetAgainAndRemoved) {
  const auto store = open();
  const Record one = record(1), two = record(2, 2000);
  ASSERT_TRUE(store->add(std::vector{one, two}));
  EXPECT_FALSE(*store->remove_baseline("best"));
  ASSERT_TRUE(store->set_baseline("best", one.id, 5));
  ASSERT_TRUE(store->set_baseline("best", two.id.substr(0, 12), 6));
  ASSERT_EQ(store->baselines()->size(), 1u);
  EXPECT_EQ(store->baselines()->front().id, two.id);
  EXPECT_EQ(store->baselines()->front().set_ms, 6);
  EXPECT_TRUE(*store->remove_baseline("best"));
  EXPECT_FALSE(*store->remove_baseline("best"));
  ASSERT_TRUE(store->set_baseline("best", one.id, 8));
  EXPECT_EQ(store->baselines()->front().id, one.id);
}

TEST_P(StoreTest, WhatWasRemovedCanBeRecordedAgain) {
  const auto store = open();
  ASSERT_TRUE(store->add(std::vector{record(1), record(2, 2000), record(3, 3000, "c", "other")}));
  EXPECT_EQ(*store->remove_before(2000), 1u);
  EXPECT_EQ(store->add(std::vector{record(1)})->is_new, std::vector<bool>{true});
  EXPECT_EQ(store->trend("s", "seconds", 10)->size(), 2u);
  EXPECT_EQ(*store->keep_newest(0), 3u);
  EXPECT_TRUE(store->series(10)->empty());
  EXPECT_TRUE(store->metrics("s")->empty());
}

// As two processes do that record the same answer at the same moment: each has looked before the other wrote.
TEST_P(StoreTest, WhatIsThereTwiceCountsOnce) {
  const auto store = open();
  ASSERT_TRUE(store->add(std::vector{record(1, 1000), record(2, 1500)}));
  add_behind_its_back(record(1, 1001));
  EXPECT_EQ(store->list({})->size(), 2u);
  EXPECT_EQ(store->trend("s", "seconds", 10)->size(), 2u);
  EXPECT_EQ(store->series(10)->front().records, 2u);
  EXPECT_TRUE((*store->find(record(1).id))->fact("seconds"));
  const std::string text = exported(*store, TransferFormat::ndjson);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_TRUE(store->check()->faults.empty());
  EXPECT_EQ(*store->keep_newest(1), 1u);
  EXPECT_EQ(store->list({})->size(), 1u);
}

TEST_P(StoreTest, ReadingNeedsAHistory) {
  EXPECT_THROW(open("absent", Open::to_read), std::runtime_error);
  open();
  EXPECT_TRUE(open("kept", Open::to_read)->list({})->empty());
}

}  // namespace
}  // namespace frx::history
