#include "knowledge/trial_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

TrialRules builtin_rules() { return TrialRules::load(Library::builtin()).value(); }

Result<LayoutPolicy> policy_of(const std::string& text) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  EXPECT_TRUE(write_file(folder.file("policy.yaml"), text));
  return read_layout_policy(folder.file("policy.yaml"), builtin_rules().policy);
}

TEST(TrialRules, AreThoseOfTheSpecification) {
  const TrialRules rules = builtin_rules();
  EXPECT_DOUBLE_EQ(rules.tolerance_of("float32")->rtol, 1.3e-6);
  EXPECT_DOUBLE_EQ(rules.tolerance_of("bfloat16")->rtol, 1.6e-2);
  EXPECT_EQ(rules.tolerance_of("int64"), nullptr);
  EXPECT_DOUBLE_EQ(rules.share_within, 0.9999);
  EXPECT_DOUBLE_EQ(rules.policy.least_gain_pct, 2);
}

TEST(LayoutPolicy, NarrowsTheDefaults) {
  const LayoutPolicy policy = policy_of("changes: [contiguous]\nlargest_risk: low\nleast_gain_pct: 5\nallow_custom_ops: true\n").value();
  EXPECT_THAT(policy.changes, ::testing::ElementsAre("contiguous"));
  EXPECT_EQ(policy.largest_risk, LayoutRisk::low);
  EXPECT_DOUBLE_EQ(policy.least_gain_pct, 5);
  EXPECT_TRUE(policy.allow_custom_ops);
  EXPECT_FALSE(policy.allow_distributed);
}

TEST(LayoutPolicy, WhatItCannotHaveIsAnErrorWithItsLine) {
  for (const char* text :
       {"changes: [fuse]\n", "largest_risk: huge\n", "least_gain_pct: -1\n", "allow_distributed: maybe\n", "other: 1\n", "- a\n", ""}) {
    EXPECT_FALSE(policy_of(text)) << text;
  }
  EXPECT_THAT(policy_of("largest_risk: low\nleast_gain_pct: many\n").error().where, ::testing::HasSubstr("policy.yaml:2"));
}

}  // namespace
}  // namespace frx::knowledge
