#include "support/case_output.h"

#include <gtest/gtest.h>

namespace frx::testing {
namespace {

TEST(CaseOutput, IsLiteral) {
  EXPECT_TRUE(matches("a.b\n", "a.b\n"));
  EXPECT_FALSE(matches("a.b\n", "axb\n"));
  EXPECT_FALSE(matches("a\n", "a\nb\n"));
  EXPECT_FALSE(matches("a\nb\n", "a\n"));
}

TEST(CaseOutput, SeesAMissingLineEnd) {
  EXPECT_FALSE(matches("a\n", "a"));
  EXPECT_FALSE(matches("a", "a\n"));
  EXPECT_TRUE(matches("a", "a"));
}

TEST(CaseOutput, LetsThreeDotsStandForAnyLines) {
  EXPECT_TRUE(matches("a\n...\nz\n", "a\nz\n"));
  EXPECT_TRUE(matches("a\n...\nz\n", "a\nb\nz\ny\nz\n"));
  EXPECT_TRUE(matches("...\n", ""));
  EXPECT_FALSE(matches("a\n...\nz\n", "a\nb\n"));
}

TEST(CaseOutput, LetsDoubleBracesHoldAPattern) {
  EXPECT_TRUE(matches("took {{[0-9]+}} ms (about)\n", "took 12 ms (about)\n"));
  EXPECT_FALSE(matches("took {{[0-9]+}} ms\n", "took x ms\n"));
}

TEST(CaseOutput, ShowsBothSidesOfADifference) { EXPECT_EQ(difference("a\nb\n", "a\nc\n"), "    a\n  - b\n  + c\n"); }

TEST(CaseOutput, LeavesOutOfADifferenceWhatTheDotsStandFor) {
  EXPECT_EQ(difference("a\nold\n...\nz\n", "a\nnew\nb\nc\nz\n"), "    a\n  - old\n  + new\n    ...\n    z\n");
}

TEST(CaseOutput, KeepsPatternsAndDotsThatStillFit) {
  EXPECT_EQ(rebased("took {{[0-9]+}} ms\nold\n", "took 7 ms\nnew\n"), "took {{[0-9]+}} ms\nnew\n");
  EXPECT_EQ(rebased("head\n...\ntail\n", "head\n1\n2\n3\nTAIL\n"), "head\n...\nTAIL\n");
}

TEST(CaseOutput, LeavesAnExpectationAloneThatIsMet) { EXPECT_EQ(rebased("a\n...\n", "a\nb\n"), "a\n...\n"); }

TEST(CaseOutput, NamesPathsAndNotLettersThatLookLikeOne) {
  EXPECT_EQ(with_name_of_path("/frx/a.cu:3 of /frx, \"/frx\"", "/frx", "{r}"), "{r}/a.cu:3 of {r}, \"{r}\"");
  const std::string others = "brief/frx_summary.txt ./frx-job-run ~/frx man1/frx.1 /frxy /frx-2";
  EXPECT_EQ(with_name_of_path(others, "/frx", "{r}"), others);
}

}  // namespace
}  // namespace frx::testing
