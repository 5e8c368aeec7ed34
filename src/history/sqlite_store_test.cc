#include "history/sqlite_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "history/json_in.h"
#include "history/record_of.h"
#include "history/transfer.h"
#include "history/zipped.h"

namespace frx::history {
namespace {

answer::Json document(double seconds, const std::string& command = "./train") {
  return {
      {"schema", "gpu_measurement_v1"}, {"command", command}, {"seconds", seconds}, {"launches", nullptr}, {"gpus", answer::Json::array()}};
}

Record record(double seconds, std::int64_t at_ms = 1000, std::string commit = "c0ffee", std::string series = "s") {
  return *record_of(document(seconds), {std::move(series), at_ms, std::move(commit), "0.1.0", "{\"host\":\"h\"}"}, "test");
}

class SqliteStoreTest : public ::testing::Test {
 protected:
  TemporaryDirectory folder = *TemporaryDirectory::make("/tmp");
  std::string path = folder.file("h.db");
  std::unique_ptr<Store> open(Open how = Open::to_write) { return std::move(*open_store(path, how)); }

  static std::string exported(Store& store, TransferFormat format) {
    std::string text;
    EXPECT_TRUE(export_history(store, format, [&](std::string_view part) -> Result<> {
      text += part;
      return {};
    }));
    return text;
  }
};

TEST_F(SqliteStoreTest, KeepsTheSameAnswerOnce) {
  const auto store = open();
  const std::vector<Record> records = {record(1), record(2), record(1)};
  const Result<Stored> stored = store->add(records);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->is_new, (std::vector<bool>{true, true, false}));
  EXPECT_EQ((*store->add(std::vector{record(1, 5000)})).is_new, std::vector<bool>{false});
  EXPECT_EQ((*store->add(std::vector{record(1, 1000, "abcdef")})).is_new, std::vector<bool>{true});
  EXPECT_EQ((*store->add(std::vector{record(1, 1000, "c0ffee", "other")})).is_new, std::vector<bool>{true});
}

TEST_F(SqliteStoreTest, GivesBackWhatWasKept) {
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

TEST_F(SqliteStoreTest, ListsByEveryFilter) {
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

TEST_F(SqliteStoreTest, ExportedAndImportedIsEqual) {
  const auto store = open();
  ASSERT_TRUE(store->add(std::vector{record(1, 1000), record(2, 2001, ""), record(3, 3000, "x\"y,z\n", "a,\"b\"")}));
  ASSERT_TRUE(store->set_baseline("n, \"1\"", record(2, 2001, "").id, 77));
  const RecordedPrediction prediction{
      "p1", "card", "k", "r", "held", R"({"schema":"prediction_v1","id":"p1","card":"card","kernel":"k","reading":"r","outcome":"held"})"};
  ASSERT_TRUE(store->add(std::vector{prediction}, 5));
  for (const TransferFormat format : {TransferFormat::ndjson, TransferFormat::csv}) {
    const std::string text = exported(*store, format);
    const auto copy = std::move(*open_store(folder.file(format == TransferFormat::csv ? "c.db" : "n.db"), Open::to_write));
    const Result<Moved> moved = import_history(*copy, *open_bytes(text), "copy", 5);
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ(moved->records, 3u);
    EXPECT_EQ(exported(*copy, format), text);
    EXPECT_EQ(import_history(*copy, *open_bytes(text), "copy", 9)->known, 3u);
    EXPECT_EQ(exported(*copy, format), text);
  }
}

TEST_F(SqliteStoreTest, PrunesAllButTheNewestAndTheNamed) {
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

TEST_F(SqliteStoreTest, KeepsAllOfFewerThanAreToStay) {
  const auto store = open();
  ASSERT_TRUE(store->add(std::vector{record(1), record(2)}));
  for (const std::uint64_t keep : {std::uint64_t{2}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_EQ(*store->keep_newest(keep), 0u) << keep;
    EXPECT_EQ(store->list({})->size(), 2u) << keep;
  }
}

TEST_F(SqliteStoreTest, FindsNoneOneOrSeveral) {
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

TEST_F(SqliteStoreTest, SaysWhichDocumentIsDamaged) {
  {
    const auto store = open();
    ASSERT_TRUE(store->add(std::vector{record(1)}));
  }
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(raw, "UPDATE document SET zipped = x'00'", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  EXPECT_EQ(open(Open::to_read)->check()->faults.size(), 1u);
}

TEST_F(SqliteStoreTest, RefusesWhatIsNotItsOwn) {
  ASSERT_TRUE(write_file(path, std::string(5000, 'x')));
  EXPECT_FALSE(open_store(path, Open::to_write));
  EXPECT_EQ(*read_file(path), std::string(5000, 'x'));
  EXPECT_FALSE(open_store(folder.file("absent.db"), Open::to_read));
  EXPECT_FALSE(open_store("/tmp", Open::to_read));
}

// A full disk is an error of the command, and takes nothing of what was there.
TEST_F(SqliteStoreTest, AFullDatabaseLosesNothing) {
  {
    const auto store = open();
    ASSERT_TRUE(store->add(std::vector{record(1)}));
  }
  Result<Connection> connection = Connection::open(path, Open::to_write);
  ASSERT_TRUE(connection);
  const std::int64_t pages = *connection->number("PRAGMA page_count");
  ASSERT_TRUE(connection->run("PRAGMA max_page_count = " + std::to_string(pages + 2)));
  SqliteStore store(std::move(*connection));
  std::vector<Record> many;
  for (int i = 0; i < 500; ++i) many.push_back(record(i + 10));
  const Result<Stored> stored = store.add(many);
  ASSERT_FALSE(stored);
  EXPECT_NE(stored.error().message.find("full"), std::string::npos);
  EXPECT_EQ(store.list({})->size(), 1u);
  EXPECT_TRUE(store.check()->faults.empty());
}

TEST(RecordOf, RefusesWhatIsNoAnswer) {
  for (const char* text : {"1", "[]", "{}", R"({"schema": 3})", R"({"schema": "frx_config_v1"})", R"({"mode": "x", "result": []})"}) {
    const Result<Record> record = record_of(*json_in(text), {}, "a.json");
    ASSERT_FALSE(record) << text;
    EXPECT_EQ(record.error().where, "a.json");
  }
}

TEST(RecordOf, KeepsOnlyThePredictionsThatAnImportTakes) {
  const answer::Json good = {{"schema", "prediction_v1"}, {"id", "p1"}, {"card", "c"}, {"kernel", "k"}, {"reading", "r"},
                             {"outcome", "held"}};
  answer::Json document = {{"schema", "ncu_comparison_v1"}, {"label_optimized", "x"}, {"predictions", {{"scored", {good}}}}};
  for (const char* needed : {"schema", "id", "card", "kernel", "reading", "outcome"}) {
    for (const answer::Json& other : {answer::Json(), answer::Json(7), answer::Json("")}) {
      answer::Json one = good;
      one[needed] = other;
      document["predictions"]["scored"].push_back(one);
    }
  }
  const Result<Record> record = record_of(document, {}, "a.json");
  ASSERT_TRUE(record);
  ASSERT_EQ(record->predictions.size(), 1u);
  EXPECT_EQ(record->predictions[0].entry, good.dump());
}

TEST(JsonIn, RefusesWhatNestsWithoutEnd) {
  EXPECT_FALSE(json_in(std::string(100'000, '[')));
  EXPECT_FALSE(json_in(std::string(300, '[') + std::string(300, ']')));
  EXPECT_TRUE(json_in("[" + std::string("\"[[[[\\\"[[") + "\"]"));
}

TEST(Zipped, ComesBackOrIsDamaged) {
  const std::string text(10'000, 'a'), bytes = zipped(text);
  EXPECT_LT(bytes.size(), 200u);
  EXPECT_EQ(unzipped(bytes, text.size()), text);
  EXPECT_FALSE(unzipped(bytes, text.size() - 1));
  EXPECT_FALSE(unzipped(bytes.substr(1), text.size()));
  EXPECT_FALSE(unzipped(bytes, std::uint64_t{1} << 60));
}

}  // namespace
}  // namespace frx::history
