#include "diagnose/reconcile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/testing.h"

namespace frx::diagnose {
namespace {

using model::Finding;
using model::Layer;
using model::Verdict;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two diagnoses: strided access with findings of all layers, and barriers with findings of source and ncu.
std::vector<knowledge::ReconciledDiagnosis> known() {
  std::vector<knowledge::ReconciledDiagnosis> all(2);
  all[0].id = "access";
  all[0].severity = "medium";
  all[0].signs = {{{"strided"}, {"ptx_strided"}, {"cubin_strided"}, {"uncoalesced"}, {"slow_step"}}};
  all[0].counters = {model::Metric{0}};
  all[1].id = "barriers";
  all[1].severity = "high";
  all[1].signs = {{{"barrier"}, {}, {}, {"stall_sync"}, {}}};
  all[1].counters = {model::Metric{0}};
  return all;
}

const std::vector<knowledge::ReconciledDiagnosis> diagnoses = known();
constexpr Layer everything[] = {Layer::source, Layer::ptx, Layer::cubin, Layer::ncu};

Finding finding(Layer layer, std::string_view id, std::string_view kernel = "k", Verdict verdict = Verdict::fires) {
  return model::testing::finding(id, layer, kernel, verdict);
}

// Of the first diagnosis that is found; "" when there is none.
std::string confidence(const std::vector<Finding>& findings) {
  const Reconciliation result = reconcile(diagnoses, everything, findings);
  return result.diagnoses.empty() ? "" : std::string(name_of(result.diagnoses[0].confidence));
}

TEST(Reconcile, ConfidenceRisesAsLayersAgree) {
  EXPECT_EQ(confidence({finding(Layer::source, "strided")}), "medium");
  EXPECT_EQ(confidence({finding(Layer::source, "strided"), finding(Layer::ncu, "uncoalesced")}), "high");
  EXPECT_EQ(confidence({finding(Layer::ptx, "ptx_strided"), finding(Layer::ncu, "uncoalesced"), finding(Layer::profiler, "slow_step", "")}),
            "confirmed");
}

// PTX and cubin are derived from the source: three readings of one fact are not three facts.
TEST(Reconcile, CodeIsOneWitnessHoweverOftenItIsRead) {
  EXPECT_EQ(confidence({finding(Layer::source, "strided"), finding(Layer::ptx, "ptx_strided"), finding(Layer::cubin, "cubin_strided")}),
            "medium");
  EXPECT_EQ(confidence({finding(Layer::source, "strided"), finding(Layer::ptx, "ptx_strided"), finding(Layer::ncu, "uncoalesced")}),
            "high");
}

// Copies between layouts, of which uncoalesced access follows in the kernels that copy.
std::vector<knowledge::ReconciledDiagnosis> known_with_layouts() {
  std::vector<knowledge::ReconciledDiagnosis> all = known();
  knowledge::ReconciledDiagnosis& layouts = all.emplace_back();
  layouts.id = "layouts";
  layouts.severity = "medium";
  layouts.signs = {{{}, {}, {}, {}, {"layout_copy"}}};
  layouts.symptoms = {{{}, {}, {}, {"uncoalesced"}, {}}};
  return all;
}

TEST(Reconcile, ACauseStandsBeforeItsConsequenceAndCountsItsEvidence) {
  const std::vector<knowledge::ReconciledDiagnosis> all = known_with_layouts();
  const std::vector<Finding> findings = {finding(Layer::ncu, "uncoalesced", "transpose"),
                                         finding(Layer::profiler, "layout_copy", "transpose")};
  const Reconciliation result = reconcile(all, everything, findings);
  ASSERT_THAT(result.diagnoses, SizeIs(2));
  EXPECT_EQ(result.diagnoses[0].diagnosis->id, "layouts");
  EXPECT_EQ(name_of(result.diagnoses[0].confidence), "high");  // profiler and ncu
  EXPECT_EQ(result.diagnoses[0].cause, nullptr);
  EXPECT_EQ(result.diagnoses[1].diagnosis->id, "access");
  EXPECT_EQ(name_of(result.diagnoses[1].confidence), "medium");
  EXPECT_EQ(result.diagnoses[1].cause, &all[2]);
}

TEST(Reconcile, WhatAlsoHoldsForAnotherKernelIsNoConsequence) {
  const std::vector<knowledge::ReconciledDiagnosis> all = known_with_layouts();
  const std::vector<Finding> findings = {finding(Layer::ncu, "uncoalesced", "transpose"), finding(Layer::ncu, "uncoalesced", "gather"),
                                         finding(Layer::profiler, "layout_copy", "transpose")};
  const Reconciliation result = reconcile(all, everything, findings);
  ASSERT_THAT(result.diagnoses, SizeIs(2));
  const Reconciled& access = result.diagnoses[1];
  ASSERT_EQ(access.diagnosis->id, "access");
  EXPECT_EQ(access.cause, nullptr);
  ASSERT_THAT(access.kernels, SizeIs(2));
  for (const ReconciledKernel& kernel : access.kernels) EXPECT_EQ(kernel.cause, kernel.kernel == "transpose" ? &all[2] : nullptr);
}

// Uncoalesced access in a kernel that copies nothing is no sign of layouts.
TEST(Reconcile, ASymptomCountsOnlyWhereTheCauseHolds) {
  const std::vector<knowledge::ReconciledDiagnosis> all = known_with_layouts();
  const std::vector<Finding> findings = {finding(Layer::ncu, "uncoalesced", "gather"),
                                         finding(Layer::profiler, "layout_copy", "transpose")};
  const Reconciliation result = reconcile(all, everything, findings);
  ASSERT_THAT(result.diagnoses, SizeIs(2));
  for (const Reconciled& one : result.diagnoses) {
    EXPECT_THAT(one.confirming, SizeIs(1)) << one.diagnosis->id;
    EXPECT_EQ(one.cause, nullptr);
  }
}

TEST(Reconcile, OneFindingTwiceIsOneLayer) {
  EXPECT_EQ(confidence({finding(Layer::source, "strided"), finding(Layer::source, "strided")}), "medium");
}

TEST(Reconcile, AMeasurementContradictsAndItsAbsenceDoesNot) {
  EXPECT_EQ(confidence({finding(Layer::source, "strided"), finding(Layer::ncu, "uncoalesced", "k", Verdict::clear)}), "low-medium");
  EXPECT_EQ(confidence({finding(Layer::source, "strided"), finding(Layer::profiler, "slow_step", ""),
                        finding(Layer::ncu, "uncoalesced", "k", Verdict::clear)}),
            "medium-high");
  EXPECT_EQ(confidence({finding(Layer::source, "strided"), finding(Layer::ncu, "uncoalesced", "k", Verdict::cannot_tell)}), "medium");
  // A static analysis without a finding proves nothing.
  EXPECT_EQ(confidence({finding(Layer::ncu, "uncoalesced"), finding(Layer::source, "strided", "k", Verdict::clear)}), "medium");
}

TEST(Reconcile, FindingsAboutOneKernelSayNothingOfAnotherOne) {
  const std::vector<Finding> findings = {finding(Layer::source, "strided", "a"), finding(Layer::ncu, "uncoalesced", "b"),
                                         finding(Layer::ncu, "uncoalesced", "a", Verdict::clear)};
  const Reconciliation result = reconcile(diagnoses, everything, findings);
  ASSERT_THAT(result.diagnoses, SizeIs(1));
  EXPECT_EQ(name_of(result.diagnoses[0].confidence), "medium");
  const std::vector<ReconciledKernel>& kernels = result.diagnoses[0].kernels;
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0].kernel, "b");
  EXPECT_EQ(kernels[0].confidence, Confidence::medium);
  EXPECT_EQ(kernels[1].kernel, "a");
  EXPECT_EQ(kernels[1].confidence, Confidence::low_medium);  // a measurement contradicts a
}

// A kernel of a library, of which there is no code: its own measurement is evidence, and comes before what was only read.
TEST(Reconcile, AMeasuredKernelWithoutCodeKeepsItsEvidence) {
  const std::vector<Finding> findings = {finding(Layer::source, "strided", "a"), finding(Layer::ncu, "uncoalesced", "library")};
  const Reconciled one = reconcile(diagnoses, everything, findings).diagnoses.at(0);
  EXPECT_EQ(one.kernel, "library");
  ASSERT_THAT(one.kernels, SizeIs(2));
  ASSERT_THAT(one.kernels[0].confirming, SizeIs(1));
  EXPECT_EQ(one.kernels[0].confirming[0]->type->layer, Layer::ncu);
  ASSERT_THAT(one.kernels[1].confirming, SizeIs(1));
  EXPECT_EQ(one.kernels[1].confirming[0]->type->layer, Layer::source);
}

// Code and counters that meet in one line of many are one source more.
TEST(Reconcile, TheSameLineConfirms) {
  const auto at = [](Finding one, std::string_view file, std::uint32_t line) {
    model::TextPlace place;
    place.file = std::string(file);
    place.line = line;
    one.places = {place};
    return one;
  };
  const Finding code = at(finding(Layer::source, "strided"), "src/k.cu", 12);
  EXPECT_EQ(confidence({code, at(finding(Layer::ncu, "uncoalesced"), "/build/src/k.cu", 12)}), "confirmed");
  EXPECT_EQ(confidence({code, at(finding(Layer::ncu, "uncoalesced"), "k.cu", 13)}), "confirmed");
  EXPECT_EQ(confidence({code, at(finding(Layer::ncu, "uncoalesced"), "k.cu", 40)}), "high");
  EXPECT_EQ(confidence({code, at(finding(Layer::ncu, "uncoalesced"), "other.cu", 12)}), "high");
  EXPECT_EQ(confidence({code, at(finding(Layer::ncu, "uncoalesced", "k", Verdict::clear), "k.cu", 12)}), "low-medium");
}

TEST(Reconcile, AFindingWithoutKernelIsAboutAll) {
  EXPECT_EQ(confidence({finding(Layer::source, "strided", "a"), finding(Layer::ncu, "uncoalesced", "")}), "high");
  EXPECT_EQ(confidence({finding(Layer::ncu, "uncoalesced", "")}), "medium");
}

TEST(Reconcile, NothingThatHoldsIsNoDiagnosis) {
  EXPECT_THAT(reconcile(diagnoses, everything, std::vector{finding(Layer::ncu, "uncoalesced", "k", Verdict::clear)}).diagnoses, IsEmpty());
  EXPECT_THAT(reconcile(diagnoses, everything, std::vector<Finding>{}).diagnoses, IsEmpty());
}

TEST(Reconcile, TheSurestLeadsAndOfEqualOnesTheGraver) {
  const std::vector<Finding> equal = {finding(Layer::source, "strided"), finding(Layer::source, "barrier")};
  EXPECT_EQ(reconcile(diagnoses, everything, equal).diagnoses[0].diagnosis->id, "barriers");
  const std::vector<Finding> surer = {finding(Layer::source, "strided"), finding(Layer::ncu, "uncoalesced"),
                                      finding(Layer::source, "barrier")};
  EXPECT_EQ(reconcile(diagnoses, everything, surer).diagnoses[0].diagnosis->id, "access");
}

TEST(Reconcile, WhatBelongsToNoDiagnosisStaysListed) {
  const std::vector<Finding> findings = {finding(Layer::source, "strided"), finding(Layer::source, "odd_block_size"),
                                         finding(Layer::ncu, "stall_sync", "k", Verdict::clear)};
  const Reconciliation result = reconcile(diagnoses, everything, findings);
  ASSERT_THAT(result.unreconciled, SizeIs(1));
  EXPECT_EQ(result.unreconciled[0]->id(), "odd_block_size");
}

TEST(Reconcile, SaysWhatCountersWouldGive) {
  const std::vector<Finding> source_alone = {finding(Layer::source, "strided")};
  const Reconciled one = reconcile(diagnoses, everything, source_alone).diagnoses[0];
  EXPECT_TRUE(one.ncu_is_silent);
  EXPECT_EQ(name_of(one.if_confirmed), "high");  // two of two
  const std::vector<Finding> measured = {finding(Layer::source, "strided"), finding(Layer::ncu, "uncoalesced", "k", Verdict::clear)};
  EXPECT_FALSE(reconcile(diagnoses, everything, measured).diagnoses[0].ncu_is_silent);
}

}  // namespace
}  // namespace frx::diagnose
