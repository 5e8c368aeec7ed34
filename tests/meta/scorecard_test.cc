// data/compare/scorecard.yaml: the documented weights, and a place for every rule about code.
#include "knowledge/scorecard.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "knowledge/code_rules.h"
#include "knowledge/knowledge.h"

namespace frx::testing {
namespace {

using knowledge::CodeRules;
using knowledge::Scorecard;
using knowledge::ScoreDimension;

const knowledge::Library& library() {
  static const knowledge::Library all = knowledge::Library::builtin();
  return all;
}

const Scorecard& card() {
  static const Scorecard loaded = Scorecard::load(library()).value();
  return loaded;
}

TEST(Scorecard, HasTheDocumentedDimensionsAndWeights) {
  std::map<std::string_view, double> weights;
  for (const ScoreDimension& dimension : card().dimensions) weights[dimension.id] = dimension.weight;
  EXPECT_EQ(weights,
            (std::map<std::string_view, double>{
                {"register_efficiency", 0.2}, {"memory_efficiency", 0.3}, {"compute_efficiency", 0.3}, {"launch_efficiency", 0.2}}));
}

// A new rule must be given its place, or the reason why it has none.
TEST(Scorecard, PlacesEveryRuleOnce) {
  for (const std::string_view kind : {"cuda", "ptx"}) {
    std::map<std::string_view, int> places;
    for (const ScoreDimension& dimension : card().dimensions) {
      for (const std::string_view rule : kind == "cuda" ? dimension.cuda : dimension.ptx) ++places[rule];
    }
    for (const knowledge::UnscoredRule& one : card().unscored) ++places[one.rule];
    const CodeRules rules = CodeRules::load(library(), kind).value();
    for (const knowledge::CodeRule& rule : rules.all()) {
      EXPECT_EQ(places[rule.id], 1) << "data/compare/scorecard.yaml: " << kind << " rule " << rule.id;
    }
  }
}

TEST(Scorecard, NamesRulesThatExist) {
  const CodeRules cuda = CodeRules::load(library(), "cuda").value(), ptx = CodeRules::load(library(), "ptx").value();
  for (const ScoreDimension& dimension : card().dimensions) {
    for (const std::string_view rule : dimension.cuda) EXPECT_NE(cuda.with_id(rule), nullptr) << rule;
    for (const std::string_view rule : dimension.ptx) EXPECT_NE(ptx.with_id(rule), nullptr) << rule;
  }
  for (const knowledge::UnscoredRule& one : card().unscored) EXPECT_TRUE(cuda.with_id(one.rule) || ptx.with_id(one.rule)) << one.rule;
  for (const std::string_view rule : card().correctness) EXPECT_NE(cuda.with_id(rule), nullptr) << rule;
}

TEST(Scorecard, AFindingThatIsNeitherGraveNorSureMakesNoWinner) {
  model::Finding finding;
  finding.severity = model::Severity::low;
  finding.confidence = "low";
  for (const ScoreDimension& dimension : card().dimensions) {
    // From source alone the registers are not known, and their weight is not there.
    EXPECT_LT(card().penalty_of(finding) * dimension.weight / 0.8, card().tie_band) << dimension.id;
  }
}

TEST(Scorecard, AnyOtherFindingDoes) {
  model::Finding finding;
  finding.severity = model::Severity::medium;
  finding.confidence = "medium";
  for (const ScoreDimension& dimension : card().dimensions)
    EXPECT_GT(card().penalty_of(finding) * dimension.weight, card().tie_band) << dimension.id;
}

}  // namespace
}  // namespace frx::testing
