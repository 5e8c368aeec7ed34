#include "analyse/recorded_evidence.h"

#include <gmock/gmock.h>

namespace frx::analyse {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(RecordedEvidence, LayoutsAreEvidenceOfTheRun) {
  RecordedEvidence recorded;
  const answer::Json result = answer::Json::parse(R"({"schema": "layout.v1", "model": "resnet50", "findings": [
      {"detector": "contiguous_churn", "severity": "HIGH", "title": "contiguous() in a loop", "site": {"text": "model.py(42): forward"}},
      {"detector": "stride_instability", "severity": "LOW", "title": "strides change"},
      {"title": "of no detector"}, 7]})");
  ASSERT_TRUE(recorded.add(model::Layer::profiler, result));
  const report::Evidence evidence = recorded.take();
  ASSERT_THAT(evidence.findings, SizeIs(2));
  EXPECT_EQ(evidence.findings[0].id(), "layout_contiguous_churn");
  EXPECT_TRUE(evidence.findings[0].fires());
  EXPECT_EQ(evidence.findings[0].severity, model::Severity::high);
  EXPECT_EQ(evidence.findings[0].kernel.view(), "");  // of all kernels: it names none
  EXPECT_EQ(evidence.findings[1].id(), "layout_stride_instability");
  EXPECT_EQ(evidence.files.front().second, "resnet50");
}

TEST(RecordedEvidence, LayoutsWithoutFindingsAreNoEvidence) {
  RecordedEvidence recorded;
  ASSERT_TRUE(recorded.add(model::Layer::profiler, answer::Json::parse(R"({"schema": "layout.v1", "findings": null})")));
  EXPECT_THAT(recorded.take().findings, IsEmpty());
}

}  // namespace
}  // namespace frx::analyse
