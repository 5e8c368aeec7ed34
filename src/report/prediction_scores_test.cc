#include "report/prediction_scores.h"

#include <gtest/gtest.h>

namespace frx::report {
namespace {

using advise::Outcome;

const advise::Prediction& sectors_fall() {
  static const advise::Prediction prediction = [] {
    advise::Prediction p;
    p.id = "sectors";
    p.by = 25;
    return p;
  }();
  return prediction;
}

Kernel kernel(const std::string& name, std::optional<double> sectors) {
  Kernel one;
  one.name = name;
  one.short_name = short_kernel_name(name);
  one.launches = 1;
  model::Reading reading;
  if (sectors) {
    reading.value = *sectors;
    one.values.push_back({"sectors", "Sectors", "", "", "", reading});
  }
  return one;
}

NcuReport profile(std::vector<Kernel> kernels, std::string_view advised = "") {
  NcuReport report;
  report.kernels = std::move(kernels);
  if (advised.empty()) return report;
  advise::Recommendation r;
  r.id = "rec_x";
  r.kernel = advised;
  r.predictions = {{&sectors_fall(), 32, {}}};
  report.advice.recommendations = {r};
  return report;
}

PredictionScores scores(const NcuReport& before, const NcuReport& after) { return score_predictions(before, after, 0.03); }

// The result of the one prediction, or why it was not compared.
std::string told(const PredictionScores& all) {
  if (!all.unscored.empty()) return all.unscored[0].why;
  return all.scored.empty() ? "" : std::string(advise::name_of(all.scored[0].score.outcome));
}

TEST(PredictionScores, TheKernelOfTheCardIsLookedAtOnTheOtherSide) {
  const NcuReport before = profile({kernel("a(int)", 32), kernel("b(int)", 4)}, "a(int)");
  const PredictionScores all = scores(before, profile({kernel("b(int)", 64), kernel("a(int)", 4)}));
  EXPECT_EQ(told(all), "held");
  EXPECT_EQ(all.scored[0].after, 4);
  EXPECT_EQ(all.count(Outcome::held), 1u);
}

TEST(PredictionScores, OneWithOtherArgumentsOrTheOnlyOneLeftIsTheSame) {
  EXPECT_EQ(told(scores(profile({kernel("a<16>(int)", 32), kernel("b(int)", 4)}, "a<16>(int)"), profile({kernel("a<32>(int)", 4)}))),
            "held");
  EXPECT_EQ(told(scores(profile({kernel("naive(int)", 32)}, "naive(int)"), profile({kernel("tiled(int)", 4)}))), "held");
}

TEST(PredictionScores, AKernelWithoutCounterpartIsNotScored) {
  const NcuReport before = profile({kernel("naive(int)", 32)}, "naive(int)");
  EXPECT_EQ(told(scores(before, profile({kernel("load(int)", 4), kernel("use(int)", 4)}))),
            "its kernel has no counterpart on the other side");
  EXPECT_EQ(told(scores(before, profile({}))), "its kernel has no counterpart on the other side");
}

// Of two kernels of one short name it is unknown which one became which.
TEST(PredictionScores, WhatCouldBeEitherIsNeither) {
  const NcuReport before = profile({kernel("a<1>(int)", 32), kernel("a<2>(int)", 32)}, "a<1>(int)");
  EXPECT_EQ(told(scores(before, profile({kernel("a<3>(int)", 4), kernel("a<4>(int)", 4)}))),
            "its kernel has no counterpart on the other side");
}

TEST(PredictionScores, AReadingThatIsMissingHoldsNothing) {
  const NcuReport before = profile({kernel("a(int)", 32)}, "a(int)");
  EXPECT_EQ(told(scores(before, profile({kernel("a(int)", {})}))), "cannot_tell");
}

TEST(PredictionScores, OneMeasurementLookedAtTwiceAndOtherGpusAreNotScored) {
  NcuReport before = profile({kernel("a(int)", 32)}, "a(int)");
  EXPECT_EQ(told(scores(before, before)), "both sides are the same measurement");
  NcuReport after = profile({kernel("a(int)", 4)});
  before.compute_capability = "8.0";
  after.compute_capability = "9.0";
  EXPECT_EQ(told(scores(before, after)), "the profiles are of different GPUs");
  after.compute_capability = "8.0";
  before.gpu_name = "NVIDIA A100-SXM4-40GB";
  after.gpu_name = "NVIDIA A100-SXM4-80GB";
  EXPECT_EQ(told(scores(before, after)), "the profiles are of different GPUs");
}

TEST(PredictionScores, CardsForKernelsThatAreNotComparedSayNothing) {
  EXPECT_TRUE(scores(profile({kernel("b(int)", 32)}, "a(int)"), profile({kernel("b(int)", 4)})).empty());
}

}  // namespace
}  // namespace frx::report
