#include "history/sqlite_store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "history/json_in.h"
#include "history/made_record.h"
#include "history/zipped.h"

namespace frx::history {
namespace {

class SqliteStoreTest : public ::testing::Test {
 protected:
  TemporaryDirectory folder = *TemporaryDirectory::make("/tmp");
  std::string path = folder.file("h.db");
  std::unique_ptr<Store> open(Open how = Open::to_write) { return std::move(*open_store(path, how)); }
};

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

// The first program that writes can be killed between the file and its tables.
TEST_F(SqliteStoreTest, AFileWithoutTablesIsNoHistoryYet) {
  ASSERT_TRUE(write_file(path, ""));
  const Result<std::unique_ptr<Store>> read = open_store(path, Open::to_read);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "there is no history yet: the file has no tables");
  EXPECT_TRUE(open()->list({})->empty());
  EXPECT_TRUE(open(Open::to_read)->check()->faults.empty());
}

// As a killed program leaves it where there is no WAL: pages half-written, and the old ones in a journal.
TEST_F(SqliteStoreTest, ReadingPutsBackWhatAKilledProgramHalfWrote) {
  {
    const auto store = open();
    ASSERT_TRUE(store->add(std::vector{record(1)}));
  }
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw,
                         "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN;"
                         "UPDATE document SET zipped = randomblob(200000); DELETE FROM record",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  const std::string cut = folder.file("cut.db");
  std::filesystem::copy_file(path, cut);
  std::filesystem::copy_file(path + "-journal", cut + "-journal");
  sqlite3_close(raw);
  const Result<std::unique_ptr<Store>> read = open_store(cut, Open::to_read);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE((*read)->check()->faults.empty());
  EXPECT_EQ((*read)->list({})->size(), 1u);
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
