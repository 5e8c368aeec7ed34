#include "report/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/layout/layout_report.h"

namespace frx::report {
namespace {

TEST(Evidence, CopiesBetweenLayoutsCountFromATwentiethOfTheKernelTime) {
  Evidence small, medium, large;
  small.add_layout_copies(0.04);
  medium.add_layout_copies(0.05);
  large.add_layout_copies(0.12);
  EXPECT_TRUE(small.findings.empty());
  ASSERT_EQ(medium.findings.size(), 1u);
  EXPECT_EQ(medium.findings[0].severity, model::Severity::medium);
  ASSERT_EQ(large.findings.size(), 1u);
  EXPECT_EQ(large.findings[0].severity, model::Severity::high);
  EXPECT_EQ(large.findings[0].id(), layout_copies_sign);
  EXPECT_EQ(std::string_view(large.findings[0].message), "kernels that only bring tensors into another layout take 12 % of kernel time");
}

// A finding whose fix spares this kernel, which takes 29 % of the GPU's time.
LayoutReport layouts_of(std::string kernel) {
  LayoutReport report;
  LayoutFinding& finding = report.findings.emplace_back();
  finding.detector = "contiguous_churn";
  finding.title = "contiguous() copies";
  finding.site.file = "model.py";
  finding.site.line = 42;
  finding.site.function = "forward";
  finding.time_share_pct = 29;
  finding.saved_time_pct = LayoutShare{0, 29};
  finding.confidence = 0.95;
  finding.kernels = {std::move(kernel)};
  return report;
}

NcuReport profile_of(const std::vector<std::string>& kernels) {
  static const model::FindingType uncoalesced = [] {
    model::FindingType type;
    type.id = "uncoalesced_access";
    return type;
  }();
  NcuReport report;
  for (const std::string& name : kernels) {
    Kernel& kernel = report.kernels.emplace_back();
    kernel.name = name;
    kernel.findings.emplace_back().type = &uncoalesced;
  }
  return report;
}

std::vector<std::string> kernels_in(const Evidence& evidence) {
  std::vector<std::string> kernels;
  for (const model::Finding& finding : evidence.findings) kernels.emplace_back(finding.kernel.view());
  return kernels;
}

TEST(Evidence, ALayoutFindingIsAboutTheKernelsThatItsFixSpares) {
  Evidence evidence;
  evidence.add(layouts_of("my::transpose<float>"));
  ASSERT_EQ(evidence.findings.size(), 1u);
  const model::Finding& finding = evidence.findings[0];
  EXPECT_EQ(finding.id(), "layout_contiguous_churn");
  EXPECT_EQ(finding.kernel.view(), "transpose");
  EXPECT_DOUBLE_EQ(finding.score, 0.29);
  EXPECT_EQ(finding.confidence, "high");
  EXPECT_EQ(finding.message.view(), "contiguous() copies at model.py(42): forward, 29 % of the GPU's time");
}

TEST(Evidence, AQuestionAboutLayoutsIsNoEvidence) {
  LayoutReport report = layouts_of("k");
  report.findings[0].kind = "measure";
  Evidence evidence;
  evidence.add(report);
  EXPECT_TRUE(evidence.findings.empty());
}

TEST(Evidence, WithoutASavingALayoutFindingIsAboutNoKernel) {
  LayoutReport report = layouts_of("k");
  report.findings[0].saved_time_pct.reset();
  Evidence evidence;
  evidence.add(report);
  EXPECT_THAT(kernels_in(evidence), ::testing::ElementsAre(""));
}

TEST(Evidence, AKernelOfTheProfileIsTheTracedOneByAllOfItsName) {
  Evidence evidence;
  evidence.add(profile_of({"void copy_kernel<4, Transpose>(int, float*)", "void copy_kernel<4, Add>(int, float*)"}));
  evidence.add(layouts_of("copy_kernel<4,Transpose>"));
  EXPECT_THAT(kernels_in(evidence), ::testing::ElementsAre("copy_kernel<4,Transpose>", "copy_kernel", "copy_kernel<4,Transpose>"));
}

TEST(Evidence, AKernelThatTheProfileDoesNotHaveIsNoOtherOfItsTemplate) {
  Evidence evidence;
  evidence.add(profile_of({"void copy_kernel<4, Add>(int, float*)"}));
  evidence.add(layouts_of("copy_kernel<4,Transpose>"));
  EXPECT_THAT(kernels_in(evidence), ::testing::ElementsAre("copy_kernel", "copy_kernel<4,Transpose>"));
}

// ncu --kernel-name-base function leaves template arguments out.
TEST(Evidence, AProfileWithoutTemplateArgumentsIsTakenForAllOfThem) {
  Evidence evidence;
  evidence.add(profile_of({"copy_kernel"}));
  evidence.add(layouts_of("ns::copy_kernel<4,Transpose>"));
  EXPECT_THAT(kernels_in(evidence), ::testing::ElementsAre("copy_kernel", "copy_kernel"));
}

// A finding that is not shown alone is evidence beside another layer that says the same of its kernel.
TEST(Evidence, AWithheldFindingCountsWhereAnotherLayerAgrees) {
  static const auto type_of = [](std::string_view id, model::Layer layer) {
    model::FindingType type;
    type.id = id;
    type.layer = layer;
    return type;
  };
  static const model::FindingType source = type_of("high_register_pressure", model::Layer::source);
  static const model::FindingType ptx = type_of("high_register_count", model::Layer::ptx);
  const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  const auto reconciled = [&](std::string_view kernel_of_ptx) {
    CudaReport code;
    code.withheld.emplace_back().type = &source;
    code.withheld.back().kernel = "heavy";
    Evidence evidence;
    evidence.add(code);
    model::Finding& other = evidence.findings.emplace_back();
    other.type = &ptx;
    other.kernel = kernel_of_ptx;
    return reconcile(std::move(evidence), known).value()->evidence.findings.size();
  };
  EXPECT_EQ(reconciled("heavy"), 2u);
  EXPECT_EQ(reconciled("light"), 1u);
}

}  // namespace
}  // namespace frx::report
