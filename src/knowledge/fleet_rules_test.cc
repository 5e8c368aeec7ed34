#include "knowledge/fleet_rules.h"

#include <gtest/gtest.h>

namespace frx::knowledge {
namespace {

TEST(FleetRules, AreThoseOfTheData) {
  const Result<FleetRules> rules = FleetRules::load(Library::builtin());
  ASSERT_TRUE(rules);
  EXPECT_GE(rules->fewest_peers, 3u);
  EXPECT_GT(rules->late.noise_times, 3);
  EXPECT_LT(rules->chance, 0.05);
  EXPECT_LT(rules->step_by_chance, 0.01);
}

}  // namespace
}  // namespace frx::knowledge
