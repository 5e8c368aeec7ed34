// The score on the labelled captures may not fall. The captures are not part of the repository (their
// licences vary); without them the test is skipped and says so.

#include "corpus/ncu_labels.h"

#include <gtest/gtest.h>

#include "support/corpus.h"

namespace frx::corpus {
namespace {

TEST(NcuLabels, TheDiagnosisAgreesWithTheExperts) {
  FRX_NEEDS_CORPUS();
  const Score score = score_labels(*testing::corpus(), "ncu/");
  EXPECT_EQ(score.refused, std::vector<std::string>());
  // As of the last change: 42 of 42 sure rows accepted, 16 of 16 required labels found.
  EXPECT_GE(score.sure, 42);
  EXPECT_GE(score.sure_accepted, 42);
  EXPECT_EQ(score.sure_forbidden, 0);
  EXPECT_GE(score.found, 16);
  EXPECT_GE(score.likely_accepted, 39);
}

}  // namespace
}  // namespace frx::corpus
