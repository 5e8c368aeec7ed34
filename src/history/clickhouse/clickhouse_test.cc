#include <gtest/gtest.h>

#include "history/clickhouse/client.h"
#include "history/clickhouse/literal.h"
#include "history/clickhouse/place.h"
#include "history/clickhouse/row_binary.h"
#include "history/store.h"

namespace frx::history::clickhouse {
namespace {

TEST(ClickHouseLiteral, IsOneTextWhateverItHolds) {
  EXPECT_EQ(literal(""), "''");
  EXPECT_EQ(literal("it's"), "'it\\'s'");
  EXPECT_EQ(literal("\\'; DROP TABLE x --"), "'\\\\\\'; DROP TABLE x --'");
  EXPECT_EQ(literal(std::string_view("a\0b", 3)), "'a\\0b'");
  EXPECT_EQ(literals(std::vector<std::string>{"a", "'"}), "('a','\\'')");
}

TEST(RowBinary, ComesBackBitByBit) {
  const std::string id(64, 'a'), longer(300, 'x');
  RowWriter out;
  out.text("").text(longer).id(id).integer(-1).natural(~std::uint64_t{0}).real(-0.0).maybe(std::optional<double>());
  out.maybe(std::optional(5e-324)).maybe(std::optional<std::int64_t>(7)).maybe(std::optional<std::int64_t>());
  RowReader in(out.bytes);
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.text(), longer);
  EXPECT_EQ(in.id(), id);
  EXPECT_EQ(in.integer(), -1);
  EXPECT_EQ(in.natural(), ~std::uint64_t{0});
  EXPECT_TRUE(std::signbit(in.real()));
  EXPECT_EQ(in.maybe_real(), std::nullopt);
  EXPECT_EQ(in.maybe_real(), 5e-324);
  EXPECT_EQ(in.maybe_integer(), 7);
  EXPECT_EQ(in.maybe_integer(), std::nullopt);
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.more());
  EXPECT_EQ(in.natural(), 0u);
  EXPECT_FALSE(in.ok());
}

TEST(RowBinary, ALengthBeyondTheEndIsNone) {
  RowReader in("\xff\xff\xff\xff\xff\xff\xff\xff\x7fx");
  EXPECT_EQ(in.text(), "");
  EXPECT_FALSE(in.ok());
  RowReader endless(std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 12));
  EXPECT_EQ(endless.text(), "");
  EXPECT_FALSE(endless.ok());
}

TEST(ClickHousePlace, IsReadWithItsDefaults) {
  const Result<Place> plain = place_in("clickhouse://node1");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->hosts, std::vector<std::string>{"http://node1:8123"});
  EXPECT_EQ(plain->database, "frx");
  EXPECT_EQ(plain->cluster, "");
  const Result<Place> whole = place_in("clickhouses://Node1:9000,[::1]/runs_2?cluster=all-gpus&wait=5");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->hosts, (std::vector<std::string>{"https://node1:9000", "https://[::1]:8443"}));
  EXPECT_EQ(whole->database, "runs_2");
  EXPECT_EQ(whole->cluster, "all-gpus");
  EXPECT_EQ(whole->wait, std::chrono::seconds(5));
}

TEST(ClickHousePlace, RefusesWhatIsNone) {
  for (const char* text : {"clickhouse://", "clickhouse:///db", "clickhouse://a b", "clickhouse://h:0", "clickhouse://h:65536",
                           "clickhouse://h:x", "clickhouse://[::1", "clickhouse://[::1]x", "clickhouse://h/a-b", "clickhouse://h/1a",
                           "clickhouse://h/d;x", "clickhouse://h/d?cluster=", "clickhouse://h/d?cluster=a'b", "clickhouse://h/d?wait=-1",
                           "clickhouse://h/d?x=1", "clickhouse://h,,g/d", "http://h"}) {
    const Result<Place> place = place_in(text);
    ASSERT_FALSE(place) << text;
    EXPECT_EQ(place.error().kind, ErrorKind::usage) << text;
    EXPECT_FALSE(place.error().hint.empty());
  }
  const Result<Place> secret = place_in("clickhouse://me:pass@h/d");
  ASSERT_FALSE(secret);
  EXPECT_EQ(to_string(secret.error()).find("pass@"), std::string::npos);
}

TEST(ClickHouseClient, SendsNoPasswordUnencryptedToAnotherMachine) {
  const auto connected = [](const char* store, const Credentials& credentials) { return Client::connect(*place_in(store), credentials); };
  const Credentials own{.user = "u", .password = "hush"};
  for (const char* store : {"clickhouse://10.0.0.1/d", "clickhouse://localhost,node2/d", "clickhouse://127.0.0.1.example.com/d"}) {
    const Result<Client> client = connected(store, own);
    ASSERT_FALSE(client) << store;
    EXPECT_EQ(client.error().kind, ErrorKind::usage);
    EXPECT_EQ(to_string(client.error()).find("hush"), std::string::npos);
  }
  EXPECT_FALSE(connected("clickhouse://localhost/d", {.user = "u\nX-Other: 1", .password = ""}));
  EXPECT_FALSE(connected("clickhouse://localhost/d", {.user = "", .password = "p"}));
}

TEST(ClickHouseClient, ReadsTheNumberOfAnError) {
  EXPECT_EQ(error_number("Code: 60, e.displayText() = DB::Exception: no"), 60);
  EXPECT_EQ(error_number("Code: 516. DB::Exception: default: no"), 516);
  EXPECT_EQ(error_number("<html>Code: 60"), 0);
}

}  // namespace
}  // namespace frx::history::clickhouse
