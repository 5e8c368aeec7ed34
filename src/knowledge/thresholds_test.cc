#include "knowledge/thresholds.h"

#include <gtest/gtest.h>

namespace frx::knowledge {
namespace {

Thresholds defaults() { return Thresholds::load(Library::builtin()).value(); }

// The hash of the default set in the reference implementation.
TEST(Thresholds, HaveTheDocumentedHash) {
  EXPECT_EQ(defaults().hash(), "7ee5dee50142");
  EXPECT_EQ(defaults().source(), "defaults");
}

TEST(Thresholds, OfTheUserAreLaidOverThem) {
  Thresholds thresholds = defaults();
  ASSERT_TRUE(thresholds.lay({{"input_bound_ratio", 0.4}}));
  EXPECT_EQ(thresholds.value("input_bound_ratio"), 0.4);
  EXPECT_EQ(thresholds.value("copy_bound_ratio"), 0.15);
  EXPECT_EQ(thresholds.source(), "defaults+arch_overrides");
  EXPECT_NE(thresholds.hash(), "7ee5dee50142");
}

TEST(Thresholds, EqualToTheDefaultsChangeNothing) {
  Thresholds thresholds = defaults();
  ASSERT_TRUE(thresholds.lay({{"input_bound_ratio", 0.2}}));
  EXPECT_EQ(thresholds.source(), "defaults");
}

TEST(Thresholds, NameTheKnownOnes) {
  Thresholds thresholds = defaults();
  const Result<> laid = thresholds.lay({{"input_ratio", 0.4}});
  ASSERT_FALSE(laid);
  EXPECT_NE(to_string(laid.error()).find("no threshold 'input_ratio'"), std::string::npos);
  EXPECT_NE(laid.error().hint.find("input_bound_ratio"), std::string::npos);
}

}  // namespace
}  // namespace frx::knowledge
