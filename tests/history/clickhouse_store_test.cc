// What only a history on ClickHouse can come to: rows that an interrupted insert or removal left, clocks of several machines, other
// addresses.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "history/clickhouse/clickhouse_store.h"
#include "history/clickhouse/record_rows.h"
#include "history/made_record.h"
#include "history/servers.h"
#include "history/transfer.h"

namespace frx::history::clickhouse {
namespace {

class ClickHouseStoreTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { servers = std::make_unique<testing::Servers>(std::vector<std::string>{"--shards", "2"}); }
  static void TearDownTestSuite() { servers.reset(); }

  void SetUp() override {
    ASSERT_EQ(servers->error(), "");
    if (!servers->skip().empty()) GTEST_SKIP() << servers->skip();
    const std::string test = to_lower(::testing::UnitTest::GetInstance()->current_test_info()->name());
    address = servers->address(test);
    store = *open_store(address, Open::to_write);
    client = std::make_unique<Client>(*Client::connect(*place_in(address), {}));
  }

  std::string in(std::string_view name) const { return table(*client, name); }
  std::uint64_t rows(std::string_view name) { return *client->number(fmt::format("SELECT count() FROM {}", in(name))); }

  // The row of `document` alone, as of an insert that was interrupted.
  void begin_to_insert(const Record& one) {
    RowWriter row;
    add_record(row, one);
    row.natural(one.document.size()).text(one.document);
    ASSERT_TRUE(client->insert(in("document"), fmt::format("{}, bytes, document", record_columns), row.bytes));
  }

  std::vector<std::int64_t> exported_times() {
    std::vector<std::int64_t> times;
    EXPECT_TRUE(store->each_record([&](const Record& one) -> Result<> {
      times.push_back(one.at_ms);
      return {};
    }));
    return times;
  }

  static std::unique_ptr<testing::Servers> servers;
  std::string address;
  std::unique_ptr<Store> store;
  std::unique_ptr<Client> client;
};

std::unique_ptr<testing::Servers> ClickHouseStoreTest::servers;

TEST_F(ClickHouseStoreTest, WhatAnInterruptedInsertLeftIsNoRecord) {
  begin_to_insert(record(1, 500));
  begin_to_insert(record(1, 3000));
  ASSERT_TRUE(store->add(std::vector{record(1, 1000), record(2, 2000)}));
  // So many between them that they are not on one page.
  ASSERT_TRUE(
      client->run(fmt::format("INSERT INTO {} (id, series, at_ms) SELECT toFixedString(toString(number), 32), 's', 700 FROM "
                              "numbers(20001)",
                              in("document"))));
  EXPECT_EQ(exported_times(), (std::vector<std::int64_t>{1000, 2000}));
  const Store::Checked checked = *store->check();
  EXPECT_EQ(checked.records, 2u);
  EXPECT_TRUE(checked.faults.empty());
}

TEST_F(ClickHouseStoreTest, APruneRemovesWhatAnInterruptedOneLeft) {
  begin_to_insert(record(1, 500));
  ASSERT_TRUE(client->insert(in("membership"), "run, members, rank, at_ms", RowWriter().text("r").text("m").integer(0).integer(500).bytes));
  EXPECT_EQ(*store->remove_before(1000), 0u);
  EXPECT_EQ(rows("document"), 0u);
  EXPECT_EQ(rows("membership"), 0u);
}

TEST_F(ClickHouseStoreTest, APruneNeedsAHostOfEachShard) {
  std::vector<Record> records;
  for (int i = 0; i < 12; ++i) records.push_back(record(i, 500, "c0ffee", fmt::format("s{}", i)));
  ASSERT_TRUE(store->add(records));
  std::string one_host = address;
  const std::size_t comma = one_host.find(',');
  one_host.erase(comma, one_host.find('/', comma) - comma);
  const Result<std::uint64_t> removed = (*open_store(one_host, Open::to_write))->remove_before(1000);
  ASSERT_FALSE(removed);
  EXPECT_NE(removed.error().message.find("2 shards"), std::string::npos);
  EXPECT_EQ(rows("record"), 12u);
  EXPECT_EQ(*store->remove_before(1000), 12u);
  EXPECT_EQ(rows("record"), 0u);
}

TEST_F(ClickHouseStoreTest, ABaselineIsSetAfterAMachineWhoseClockIsAhead) {
  const Record one = record(1, 1000), two = record(2, 2000);
  ASSERT_TRUE(store->add(std::vector{one, two}));
  constexpr std::uint64_t ahead_us = 4'000'000'000'000'000;  // of the year 2096
  RowWriter row;
  row.text("best").id(one.id).text("s").text("").integer(5).natural(ahead_us).flag(false);
  ASSERT_TRUE(client->insert(in("baseline"), "name, id, series, verdict, set_ms, written_us, removed", row.bytes));
  ASSERT_TRUE(store->set_baseline("best", two.id, 6));
  ASSERT_EQ(store->baselines()->size(), 1u);
  EXPECT_EQ(store->baselines()->front().id, two.id);
  EXPECT_TRUE(*store->remove_baseline("best"));
  EXPECT_TRUE(store->baselines()->empty());
}

TEST_F(ClickHouseStoreTest, PredictionsOfManyRecordsAreOneInsert) {
  std::vector<Record> records;
  for (int i = 0; i < 40; ++i) {
    records.push_back(record(i, 1000 + i));
    records.back().predictions = {{fmt::format("p{}", i / 2), "card", "k", "r", "held", "{}"}};
  }
  const std::string inserts = "SELECT toUInt64(sum(value)) FROM cluster('frx', system.events) WHERE event = 'InsertQuery'";
  const std::uint64_t before = *client->number(inserts);
  EXPECT_EQ(store->add(records)->predictions, 20u);
  EXPECT_LT(*client->number(inserts) - before, 20u);
  EXPECT_EQ(store->predictions()->size(), 20u);
}

}  // namespace
}  // namespace frx::history::clickhouse
