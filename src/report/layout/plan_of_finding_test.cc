#include "report/layout/plan_of_finding.h"

#include <gmock/gmock.h>

namespace frx::report {
namespace {

using ::testing::ElementsAre;

LayoutFinding finding_with(std::string_view kind, std::string_view module) {
  LayoutFinding finding;
  finding.id = std::string(kind) + "@x";
  finding.kind = std::string(kind);
  finding.memory_format = "channels_last";
  finding.site.first_module = std::string(module);
  return finding;
}

TEST(PlanOfFinding, MemoryFormatsAreOfTheWholeModel) {
  LayoutReport report;
  report.model = "net";
  report.sha256 = std::string(64, 'a');
  report.findings = {finding_with("stabilise_upstream", "blocks.0"), finding_with("memory_format", "")};
  const Result<LayoutPlan> plan = plan_of_finding(report, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->finding, "memory_format@x");
  EXPECT_THAT(plan->changes[0].modules, ElementsAre("*"));
  EXPECT_EQ(plan->changes[0].format, "channels_last");
  EXPECT_TRUE(plan->changes[0].inputs);
  EXPECT_FALSE(plan_of_finding(report, 1));
  EXPECT_EQ(plan_of_finding(report, 3).error().message, "there is no finding 3: the report has 2");
}

TEST(PlanOfFinding, ContiguousInputsNeedTheNamesOfModules) {
  LayoutReport report;
  report.findings = {finding_with("contiguous_input", "Attention_0"), finding_with("contiguous_input", "blocks.3.attn")};
  EXPECT_FALSE(plan_of_finding(report, 1));
  const Result<LayoutPlan> plan = plan_of_finding(report, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->changes[0].kind, LayoutChange::Kind::contiguous);
  EXPECT_THAT(plan->changes[0].modules, ElementsAre("blocks.3.attn"));
}

}  // namespace
}  // namespace frx::report
