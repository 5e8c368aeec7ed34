// data/compare/reconciliation.yaml: the documented diagnoses, and nothing that does not exist.
#include "knowledge/reconciliation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/code_rules.h"
#include "knowledge/knowledge.h"
#include "knowledge/presets.h"

namespace frx::testing {
namespace {

using knowledge::CodeRules;
using knowledge::JointDiagnosis;
using knowledge::Knowledge;
using knowledge::Reconciliation;
using ::testing::ElementsAre;

const Knowledge& everything() {
  static const Knowledge all = Knowledge::load("").value();
  return all;
}

const Reconciliation& loaded() {
  static const Reconciliation one = Reconciliation::load(everything().library, everything().metrics).value();
  return one;
}

TEST(Reconciliation, HasTheDocumentedDiagnosesInTheirOrder) {
  std::vector<std::string_view> ids;
  for (const JointDiagnosis& one : loaded().diagnoses()) ids.push_back(one.id);
  EXPECT_THAT(ids, ElementsAre("inefficient_global_memory_access", "excessive_synchronization", "register_pressure",
                               "tensor_core_underutilization", "memory_bandwidth_saturation", "warp_divergence_risk"));
}

TEST(Reconciliation, NamesRulesLabelsCardsAndCountersThatExist) {
  const CodeRules cuda = CodeRules::load(everything().library, "cuda").value(), ptx = CodeRules::load(everything().library, "ptx").value();
  for (const JointDiagnosis& one : loaded().diagnoses()) {
    for (const std::string_view rule : one.source) EXPECT_NE(cuda.with_id(rule), nullptr) << one.id << ": " << rule;
    for (const std::string_view rule : one.ptx) EXPECT_NE(ptx.with_id(rule), nullptr) << one.id << ": " << rule;
    for (const std::string_view label : one.ncu) EXPECT_NE(everything().labels.with_id(label), nullptr) << one.id << ": " << label;
    for (const std::string_view card : one.recommendations)
      EXPECT_TRUE(everything().library.file(fmt::format("data/recommendations/{}.yaml", card))) << one.id << ": " << card;
    for (const knowledge::SettlingMetric& metric : one.collect)
      EXPECT_NE(knowledge::counter_of(everything().metrics[metric.metric]), "") << one.id << " cannot ask ncu for it";
  }
}

// Two witnesses of two are high; one that is contradicted is worth less than one that stands alone.
TEST(Reconciliation, ClimbsTheDocumentedLadder) {
  EXPECT_EQ(loaded().confidence(1, 1), "medium");
  EXPECT_EQ(loaded().confidence(1, 2), "low-medium");
  EXPECT_EQ(loaded().confidence(2, 2), "high");
  EXPECT_EQ(loaded().confidence(0, 1), "");
}

}  // namespace
}  // namespace frx::testing
