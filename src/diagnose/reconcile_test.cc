#include "diagnose/reconcile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::diagnose {
namespace {

using knowledge::Layer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// Two diagnoses: strided access with signs of all layers, and barriers with signs of source and ncu.
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

Sign sign(Layer layer, std::string name, std::string kernel = "k", Holds holds = Holds::yes) {
  return {layer, std::move(name), std::move(kernel), holds, ""};
}

// Of the first diagnosis that is found; "" when there is none.
std::string confidence(const std::vector<Sign>& signs) {
  const Reconciliation result = reconcile(diagnoses, everything, signs);
  return result.diagnoses.empty() ? "" : std::string(name_of(result.diagnoses[0].confidence));
}

TEST(Reconcile, ConfidenceRisesAsLayersAgree) {
  EXPECT_EQ(confidence({sign(Layer::source, "strided")}), "medium");
  EXPECT_EQ(confidence({sign(Layer::source, "strided"), sign(Layer::ncu, "uncoalesced")}), "high");
  EXPECT_EQ(confidence({sign(Layer::ptx, "ptx_strided"), sign(Layer::ncu, "uncoalesced"), sign(Layer::profiler, "slow_step", "")}),
            "confirmed");
}

// PTX and cubin are derived from the source: three readings of one fact are not three facts.
TEST(Reconcile, CodeIsOneWitnessHoweverOftenItIsRead) {
  EXPECT_EQ(confidence({sign(Layer::source, "strided"), sign(Layer::ptx, "ptx_strided"), sign(Layer::cubin, "cubin_strided")}), "medium");
  EXPECT_EQ(confidence({sign(Layer::source, "strided"), sign(Layer::ptx, "ptx_strided"), sign(Layer::ncu, "uncoalesced")}), "high");
}

TEST(Reconcile, OneFindingTwiceIsOneLayer) {
  EXPECT_EQ(confidence({sign(Layer::source, "strided"), sign(Layer::source, "strided")}), "medium");
}

TEST(Reconcile, AMeasurementContradictsAndItsAbsenceDoesNot) {
  EXPECT_EQ(confidence({sign(Layer::source, "strided"), sign(Layer::ncu, "uncoalesced", "k", Holds::no)}), "low-medium");
  EXPECT_EQ(
      confidence({sign(Layer::source, "strided"), sign(Layer::profiler, "slow_step", ""), sign(Layer::ncu, "uncoalesced", "k", Holds::no)}),
      "medium-high");
  EXPECT_EQ(confidence({sign(Layer::source, "strided"), sign(Layer::ncu, "uncoalesced", "k", Holds::unknown)}), "medium");
  // A static analysis without a finding proves nothing.
  EXPECT_EQ(confidence({sign(Layer::ncu, "uncoalesced"), sign(Layer::source, "strided", "k", Holds::no)}), "medium");
}

TEST(Reconcile, SignsOfOneKernelSayNothingOfAnotherOne) {
  const std::vector<Sign> signs = {sign(Layer::source, "strided", "a"), sign(Layer::ncu, "uncoalesced", "b"),
                                   sign(Layer::ncu, "uncoalesced", "a", Holds::no)};
  const Reconciliation result = reconcile(diagnoses, everything, signs);
  ASSERT_THAT(result.diagnoses, SizeIs(1));
  EXPECT_EQ(name_of(result.diagnoses[0].confidence), "medium");
  EXPECT_THAT(result.diagnoses[0].kernels,
              ElementsAre(Pair("b", Confidence::medium), Pair("a", Confidence::low_medium)));  // a measurement contradicts a
}

TEST(Reconcile, ASignWithoutKernelIsAboutAll) {
  EXPECT_EQ(confidence({sign(Layer::source, "strided", "a"), sign(Layer::ncu, "uncoalesced", "")}), "high");
  EXPECT_EQ(confidence({sign(Layer::ncu, "uncoalesced", "")}), "medium");
}

TEST(Reconcile, NothingThatHoldsIsNoDiagnosis) {
  EXPECT_THAT(reconcile(diagnoses, everything, std::vector{sign(Layer::ncu, "uncoalesced", "k", Holds::no)}).diagnoses, IsEmpty());
  EXPECT_THAT(reconcile(diagnoses, everything, std::vector<Sign>{}).diagnoses, IsEmpty());
}

TEST(Reconcile, TheSurestLeadsAndOfEqualOnesTheGraver) {
  const std::vector<Sign> equal = {sign(Layer::source, "strided"), sign(Layer::source, "barrier")};
  EXPECT_EQ(reconcile(diagnoses, everything, equal).diagnoses[0].diagnosis->id, "barriers");
  const std::vector<Sign> surer = {sign(Layer::source, "strided"), sign(Layer::ncu, "uncoalesced"), sign(Layer::source, "barrier")};
  EXPECT_EQ(reconcile(diagnoses, everything, surer).diagnoses[0].diagnosis->id, "access");
}

TEST(Reconcile, WhatBelongsToNoDiagnosisStaysListed) {
  const std::vector<Sign> signs = {sign(Layer::source, "strided"), sign(Layer::source, "odd_block_size"),
                                   sign(Layer::ncu, "stall_sync", "k", Holds::no)};
  const Reconciliation result = reconcile(diagnoses, everything, signs);
  ASSERT_THAT(result.unreconciled, SizeIs(1));
  EXPECT_EQ(result.unreconciled[0]->name, "odd_block_size");
}

TEST(Reconcile, SaysWhatCountersWouldGive) {
  const std::vector<Sign> source_alone = {sign(Layer::source, "strided")};
  const Reconciled one = reconcile(diagnoses, everything, source_alone).diagnoses[0];
  EXPECT_TRUE(one.ncu_is_silent);
  EXPECT_EQ(name_of(one.if_confirmed), "high");  // two of two
  const std::vector<Sign> measured = {sign(Layer::source, "strided"), sign(Layer::ncu, "uncoalesced", "k", Holds::no)};
  EXPECT_FALSE(reconcile(diagnoses, everything, measured).diagnoses[0].ncu_is_silent);
}

}  // namespace
}  // namespace frx::diagnose
