// Real traces: what the layout advisor finds where other means told what is there, and that every trace of the corpus is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "corpus/layout_traces.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

using derive::layout::EvidenceLevel;
using ::testing::EndsWith;
using ::testing::SizeIs;

LayoutCheck named(const char* trace) { return check_layouts_of(*testing::corpus() / "torch" / trace); }

// The kernels of the file, summed by another program: 12 of nchwToNhwcKernel, 277 of 10,640 us.
TEST(CorpusLayouts, TheConversionsOfAlexNet) {
  FRX_NEEDS_CORPUS();
  const LayoutCheck check = named("hta_critical_path_alexnet.json.gz");
  ASSERT_TRUE(check.report) << check.refused;
  const report::LayoutReport& report = *check.report;
  EXPECT_EQ(report.level, EvidenceLevel::operators);
  EXPECT_EQ(report.totals.copies, 12);
  EXPECT_NEAR(report.totals.layout_time_us, 277, 1e-6);
  ASSERT_THAT(report.findings, SizeIs(1));
  const report::LayoutFinding& finding = report.findings[0];
  EXPECT_EQ(finding.detector + "." + finding.pattern, "channels_last.measured");
  EXPECT_THAT(finding.site.op_path, EndsWith("aten::cudnn_convolution"));
  EXPECT_EQ(finding.freq_per_step, 6);  // two in each of its convolutions
  EXPECT_NEAR(finding.time_us_per_step, 277, 1e-6);
  EXPECT_FALSE(finding.bytes_per_step);  // no shapes were recorded
}

// With strides and Python frames: 96 copies of the 24 layers, four in each, at one line.
TEST(CorpusLayouts, TheContiguousCallsOfQwen) {
  FRX_NEEDS_CORPUS();
  const LayoutCheck check = named("tracelens_h100_qwen05b.json.gz");
  ASSERT_TRUE(check.report) << check.refused;
  EXPECT_EQ(check.report->level, EvidenceLevel::stacks);
  ASSERT_FALSE(check.report->findings.empty());
  const report::LayoutFinding& finding = check.report->findings[0];
  EXPECT_EQ(finding.detector, "contiguous_churn");
  EXPECT_EQ(finding.site.text(), "transformers/integrations/sdpa_attention.py(18): sdpa_attention_forward");
  EXPECT_EQ(finding.freq_per_step, 96);
  EXPECT_EQ(finding.site.modules, 24u);
}

void are_shares(const LayoutCheck& check) {
  const report::LayoutTotals& totals = check.report->totals;
  for (const std::optional<double>& share : {totals.bw_overhead_pct, totals.time_overhead_pct, totals.coverage_pct, totals.idle_pct}) {
    if (share) EXPECT_TRUE(std::isfinite(*share) && *share >= 0 && *share <= 100 + 1e-9) << check.name << ' ' << *share;
  }
}

void is_whole(const LayoutCheck& check, const report::LayoutFinding& finding) {
  const std::string where = check.name + ": " + finding.id;
  EXPECT_GT(finding.freq_per_step, 0) << where;
  EXPECT_TRUE(finding.confidence > 0 && finding.confidence <= 1) << where;
  for (const std::string* const words : {&finding.title, &finding.phrase, &finding.fix})
    EXPECT_TRUE(!words->empty() && words->find('{') == words->npos) << where << ": " << *words;
  for (const std::optional<report::LayoutShare>& share : {finding.saved_bytes_pct, finding.saved_time_pct}) {
    if (share) EXPECT_TRUE(share->low >= 0 && share->low <= share->best && share->best <= 100 + 1e-9) << where << ' ' << share->best;
  }
}

// One test, because reading them all takes a while.
TEST(CorpusLayouts, AreTold) {
  FRX_NEEDS_CORPUS();
  const std::vector<LayoutCheck> checks = check_layouts(*testing::corpus());
  ASSERT_GE(checks.size(), 100u);
  std::vector<std::string> refused;
  for (const LayoutCheck& check : checks) {
    if (!check.report) {
      refused.push_back(check.name);
      continue;
    }
    are_shares(check);
    for (const report::LayoutFinding& finding : check.report->findings) is_whole(check, finding);
  }
  // The last of them holds Python frames alone.
  EXPECT_THAT(refused,
              ::testing::UnorderedElementsAre("ebpf_cuda_monitor_not_torch.json", "tf_trace_viewer_not_torch.json", "derived_empty.json",
                                              "derived_empty_events.json", "derived_events_not_objects.json", "derived_deep_nesting.json",
                                              "flow_matching_3090_nokernels.json", "hta_inference_rank1_old_schema.json.gz"));
}

}  // namespace
}  // namespace frx::corpus
