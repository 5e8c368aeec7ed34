// What was predicted of kernels, against what their rewriting measured (docs/validation/before-after.md and calibration.md).
#include "corpus/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/ncu_times.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

TEST(CorpusBeforeAfter, NoRewritingGainsMoreThanTheLeadingLabelAllows) {
  FRX_NEEDS_CORPUS();
  const PairOutcomes outcomes = pair_outcomes(*testing::corpus());
  EXPECT_TRUE(outcomes.failures.empty()) << outcomes.failures.front();
  EXPECT_GE(outcomes.pairs.size(), 60u);
  EXPECT_GE(outcomes.rounds.size(), 24u);
  std::size_t bounds = 0;
  for (const auto* list : {&outcomes.pairs, &outcomes.rounds}) {
    for (const PairOutcome& pair : *list) {
      for (const StakeOfLabel& stake : pair.stakes) {
        EXPECT_GE(stake.bound_pct, 0) << pair.before << ' ' << stake.label;
        EXPECT_LE(stake.bound_pct, 100 + 1e-9) << pair.before << ' ' << stake.label;
        // A roof bounds what the same work can gain, and a rewriting may do less of it.
        if (!stake.is_leading || stake.is_of_roof) continue;
        ++bounds;
        EXPECT_LE(pair.gain_pct, stake.bound_pct + 100 * report::profile_noise_floor)
            << pair.before << ' ' << pair.change << ' ' << stake.label;
      }
    }
  }
  EXPECT_GE(bounds, 40u);
}

// A page without a row for each would be no page about all of them.
TEST(CorpusBeforeAfter, ThePagesHoldEveryPair) {
  FRX_NEEDS_CORPUS();
  const PairOutcomes outcomes = pair_outcomes(*testing::corpus());
  const std::string page = before_after_page(outcomes);
  for (const PairOutcome& pair : outcomes.pairs) EXPECT_NE(page.find("| " + pair.before + " | "), page.npos);
  EXPECT_NE(calibration_page(outcomes).find("## Predictions about counters"), std::string::npos);
}

}  // namespace
}  // namespace frx::corpus
