#include "report/layout/layout_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace {

std::string plan_with(const std::string& change) { return R"({"schema": "layout_plan.v1", "changes": [)" + change + "]}"; }

std::string error_of(const std::string& text) {
  const Result<LayoutPlan> plan = read_layout_plan("p.json", text);
  return plan ? "" : in_one_line(plan.error());
}

TEST(LayoutPlan, IsReadBackAsItWasWritten) {
  LayoutPlan plan{"resnet", "ab12", "D4-1", {}};
  plan.changes.push_back({LayoutChange::Kind::memory_format, {"layer1.*", "conv1"}, "channels_last", true});
  plan.changes.push_back({LayoutChange::Kind::contiguous, {"attn.proj"}, "", false, LayoutChange::Place::output});
  const std::string text = layout_plan_text(plan);
  const Result<LayoutPlan> read = read_layout_plan("p.json", text);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(layout_plan_text(*read), text);
  EXPECT_EQ(read->finding, "D4-1");
  EXPECT_EQ(words_of(read->changes[0]), "channels_last of layer1.* and conv1, inputs converted");
  EXPECT_EQ(words_of(read->changes[1]), "contiguous at the output of attn.proj");
}

TEST(LayoutPlan, ErrorsNameTheMember) {
  EXPECT_THAT(error_of("[]"), ::testing::HasSubstr("expected a layout plan"));
  EXPECT_THAT(error_of("{\"schema\": 1}"), ::testing::HasSubstr("schema: expected layout_plan.v1"));
  EXPECT_THAT(error_of(R"({"schema": "layout_plan.v1", "changes": []})"), ::testing::HasSubstr("changes: expected a list"));
  EXPECT_THAT(error_of(plan_with("1")), ::testing::HasSubstr("changes[0]: expected an object"));
  EXPECT_THAT(error_of(plan_with(R"({"kind": "fuse", "modules": ["*"]})")), ::testing::HasSubstr("changes[0].kind"));
  EXPECT_THAT(error_of(plan_with(R"({"kind": "contiguous", "modules": [], "at": "input"})")), ::testing::HasSubstr("changes[0].modules"));
  EXPECT_THAT(error_of(plan_with(R"({"kind": "contiguous", "modules": ["a"], "at": "both"})")), ::testing::HasSubstr("changes[0].at"));
  EXPECT_THAT(error_of(plan_with(R"({"kind": "contiguous", "modules": ["a"], "at": "input", "format": "x"})")),
              ::testing::HasSubstr("found 'format'"));
  EXPECT_THAT(error_of(plan_with(R"({"kind": "memory_format", "modules": ["a"], "format": "channels_last", "inputs": 1})")),
              ::testing::HasSubstr("changes[0].inputs: expected true or false"));
}

TEST(LayoutPlan, AnyBytesAreAnErrorOfOneLine) {
  for (const std::string& text : {std::string(), std::string(1, '\0'), std::string("\xff\xfe"), std::string(100'000, '['),
                                  std::string(R"({"schema": "layout_plan.v1", "changes": [{"kind": {"a": []}}]})")}) {
    EXPECT_THAT(error_of(text), ::testing::Not(::testing::IsEmpty()));
  }
}

}  // namespace
}  // namespace frx::report
