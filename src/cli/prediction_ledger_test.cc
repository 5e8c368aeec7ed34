#include "cli/prediction_ledger.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"

namespace frx::cli {
namespace {

report::PredictionScores scores(double after) {
  report::ScoredPrediction one;
  one.card = "rec_x";
  one.kernel = one.kernel_after = "gather(float *)";
  one.prediction.id = "kernel_duration";
  one.prediction.by = 10;
  one.before = 100;
  one.after = after;
  one.score = advise::score(one.prediction, one.before, one.after, 0.03);
  report::PredictionScores all;
  all.scored = {one};
  return all;
}

class LedgerFile : public ::testing::Test {
 protected:
  std::string path() const { return directory_.file("ledger.jsonl"); }
  std::string content() const { return read_file(path()).value(); }
  TemporaryDirectory directory_ = TemporaryDirectory::make(::testing::TempDir()).value();
};

TEST_F(LedgerFile, GrowsByALineForEachPrediction) {
  EXPECT_EQ(append_to_ledger(path(), scores(50))->added, 1u);
  EXPECT_EQ(append_to_ledger(path(), scores(99))->added, 1u);
  const Ledger ledger = read_ledger(path()).value();
  EXPECT_EQ(ledger.entries.size(), 2u);
  EXPECT_EQ(split(content(), '\n').size(), 3u);  // the last one is empty
  EXPECT_NE(ledger_text(ledger).find("-     1 of 2"), std::string::npos) << ledger_text(ledger);
}

TEST_F(LedgerFile, TheSameMeasurementsCountOnce) {
  ASSERT_TRUE(append_to_ledger(path(), scores(50)));
  const std::string once = content();
  const Result<Appended> again = append_to_ledger(path(), scores(50));
  EXPECT_EQ(again->added, 0u);
  EXPECT_EQ(again->known, 1u);
  EXPECT_EQ(content(), once);
  ASSERT_TRUE(write_file(path(), once + once));  // two files were put together
  EXPECT_EQ(read_ledger(path())->entries.size(), 1u);
}

TEST_F(LedgerFile, WhatIsThereStaysAsItIs) {
  ASSERT_TRUE(append_to_ledger(path(), scores(50)));
  const std::string unended = content().substr(0, content().size() - 1);
  ASSERT_TRUE(write_file(path(), unended));
  ASSERT_TRUE(append_to_ledger(path(), scores(99)));
  EXPECT_TRUE(content().starts_with(unended + "\n"));
  EXPECT_EQ(read_ledger(path())->entries.size(), 2u);
}

TEST_F(LedgerFile, ABrokenLineIsNamedAndNothingIsWritten) {
  ASSERT_TRUE(append_to_ledger(path(), scores(50)));
  const std::string good = content();
  for (const std::string& broken : {std::string("{\"schema\": \"predic"), std::string("[]"), std::string("{\"schema\":\"prediction_v1\"}"),
                                    std::string(200'000, '['), std::string(400'000, '['), std::string("\xff\xfe\x00", 3)}) {
    ASSERT_TRUE(write_file(path(), good + broken + "\n"));
    const Result<Appended> refused = append_to_ledger(path(), scores(99));
    ASSERT_FALSE(refused) << broken.substr(0, 40);
    EXPECT_EQ(refused.error().where, path() + ":2");
    EXPECT_EQ(content(), good + broken + "\n");
  }
}

TEST_F(LedgerFile, WhatItCouldNotReadAgainIsNotWritten) {
  report::PredictionScores endless = scores(50);
  endless.scored[0].kernel = std::string(400'000, 'k');
  EXPECT_EQ(append_to_ledger(path(), endless)->added, 0u);
  EXPECT_FALSE(read_ledger(path()));
}

TEST(Ledger, OnlyScoredPredictionsAreAdded) {
  const answer::Json good = {{"schema", "prediction_v1"}, {"id", "p1"}, {"card", "c"}, {"kernel", "k"}, {"reading", "r"},
                             {"outcome", "held"}};
  answer::Json of_another_kind = good, of_no_known_outcome = good;
  of_another_kind.erase("schema");
  of_no_known_outcome["outcome"] = "bar";
  Ledger ledger;
  EXPECT_FALSE(add_entry(ledger, of_another_kind));
  EXPECT_FALSE(add_entry(ledger, of_no_known_outcome));
  EXPECT_TRUE(ledger.ids.empty());
  EXPECT_TRUE(add_entry(ledger, good));
  EXPECT_TRUE(add_entry(ledger, good));
  EXPECT_EQ(ledger.entries.size(), 1u);
  EXPECT_EQ(ledger_json(ledger)["cards"].size(), 1u);
}

TEST_F(LedgerFile, AMissingFileIsAnErrorOnlyWhenItIsRead) {
  EXPECT_FALSE(read_ledger(path()));
  EXPECT_TRUE(append_to_ledger(path(), {}));
  EXPECT_FALSE(read_ledger(path()));  // nothing to keep, no file
}

}  // namespace
}  // namespace frx::cli
