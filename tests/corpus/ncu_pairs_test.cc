// Naive and optimised kernels of real profiles (pairs.tsv of the corpus): the faster one is found, the slower never praised.
#include <gtest/gtest.h>

#include <map>

#include "base/files.h"
#include "base/text.h"
#include "report/analyse.h"
#include "report/ncu_comparison.h"
#include "report/ncu_times.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

using derive::compare::Answer;

struct Row {
  std::string first_file, first_kernel, second_file, second_kernel, faster;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  const std::string text = read_file((*testing::corpus() / "pairs.tsv").string()).value();
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() < 7 || cells[0] == "file_a") continue;
    all.push_back({std::string(cells[0]), std::string(cells[1]), std::string(cells[2]), std::string(cells[3]), std::string(cells[6])});
  }
  return all;
}

class CorpusPairs : public ::testing::Test {
 protected:
  void SetUp() override {
    FRX_NEEDS_CORPUS();
    analyst_ = report::Analyst::create({}).value();
  }
  const report::NcuReport& profile(const std::string& file) {
    const report::NcuReport*& one = profiles_[file];
    if (!one) one = analyst_->analyse_file((*testing::corpus() / file).string()).value();
    return *one;
  }
  report::NcuReport kernel(const std::string& file, const std::string& name) {
    Result<report::NcuReport> alone = report::profile_of_kernel(profile(file), name);
    EXPECT_TRUE(alone) << file << ": " << (alone ? "" : to_string(alone.error()));
    return alone ? std::move(*alone) : report::NcuReport();
  }

  std::unique_ptr<report::Analyst> analyst_;
  std::map<std::string, const report::NcuReport*> profiles_;
};

TEST_F(CorpusPairs, TheFasterSideWinsAndTheSlowerNever) {
  std::size_t different = 0, told = 0;
  for (const Row& row : rows()) {
    const report::NcuReport first = kernel(row.first_file, row.first_kernel), second = kernel(row.second_file, row.second_kernel);
    const report::ProfileJudgement there = report::judge_profiles(first, second), back = report::judge_profiles(second, first);
    const std::string pair = fmt::format("{} {} | {}: {}", row.first_file, row.first_kernel, row.second_kernel, there.why_not);
    EXPECT_EQ(there.answer == Answer::better, back.answer == Answer::worse) << pair;
    EXPECT_EQ(there.answer == Answer::worse, back.answer == Answer::better) << pair;
    EXPECT_EQ(report::judge_profiles(first, first).answer, Answer::cannot_tell) << pair;
    if (row.faster == "same") {
      EXPECT_EQ(there.answer, Answer::cannot_tell) << pair;
      continue;
    }
    ++different;
    EXPECT_NE(there.answer, row.faster == "b" ? Answer::worse : Answer::better) << pair;
    const bool is_told = there.answer != Answer::cannot_tell;
    told += is_told;
    if (!is_told) std::printf("not told: %s\n", pair.c_str());
  }
  EXPECT_GE(different, 50u);
  EXPECT_GE(static_cast<double>(told), 0.95 * static_cast<double>(different)) << told << " of " << different;
}

// Whatever moved: what was not measured on both sides came true in no case, and one measurement says nothing about advice.
TEST_F(CorpusPairs, PredictionsHoldByWhatWasMeasuredOnly) {
  std::size_t held = 0;
  for (const Row& row : rows()) {
    const report::NcuReport first = kernel(row.first_file, row.first_kernel), second = kernel(row.second_file, row.second_kernel);
    for (const report::ScoredPrediction& one : report::compare(first, second, "a", "b").predictions.scored) {
      if (one.score.outcome == advise::Outcome::cannot_tell) {
        EXPECT_FALSE(one.score.why.empty()) << row.first_file << " " << one.card;
        continue;
      }
      EXPECT_TRUE(one.before && one.after && one.score.predicted) << row.first_file << " " << one.card << " " << one.prediction.id;
      held += one.score.outcome == advise::Outcome::held;
    }
    EXPECT_TRUE(report::compare(first, first, "a", "a").predictions.scored.empty()) << row.first_file;
  }
  EXPECT_GE(held, 20u);
}

}  // namespace
}  // namespace frx::corpus
