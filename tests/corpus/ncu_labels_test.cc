// The score on the labelled captures may not fall. The captures are not part of the repository (their
// licences vary); without them the test is skipped and says so.

#include "corpus/ncu_labels.h"

#include <gtest/gtest.h>

#include <map>

#include "support/corpus.h"

namespace frx::corpus {
namespace {

TEST(NcuLabels, TheDiagnosisAgreesWithTheExperts) {
  const std::optional<std::filesystem::path> folder = testing::corpus();
  if (!folder) GTEST_SKIP() << testing::no_corpus;
  auto analyst = report::Analyst::create({});
  ASSERT_TRUE(analyst) << to_string(analyst.error());
  std::map<std::string, const report::NcuReport*> reports;
  Score score;
  for (const LabelRow& row : read_labels(*folder)) {
    if (!row.file.starts_with("ncu/")) continue;
    if (!reports.contains(row.file)) {
      const auto report = (*analyst)->analyse_file((*folder / row.file).string());
      reports[row.file] = report ? *report : nullptr;
      EXPECT_TRUE(report) << row.file << ": " << (report ? "" : to_string(report.error()));
    }
    if (!reports[row.file]) continue;
    const Judged judged = judge(row, *reports[row.file]);
    score.add(judged);
    EXPECT_FALSE(row.sure && judged.forbidden) << row.file << " | " << row.kernel << ": " << judged.primary << " must not lead";
  }
  // As of the last change: 42 of 42 sure rows accepted, 16 of 16 required labels found.
  EXPECT_GE(score.sure, 42);
  EXPECT_GE(score.sure_accepted, 42);
  EXPECT_EQ(score.sure_forbidden, 0);
  EXPECT_GE(score.found, 16);
  EXPECT_GE(score.likely_accepted, 39);
}

}  // namespace
}  // namespace frx::corpus
