#include "advise/prediction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace frx::advise {
namespace {

Prediction falls(double by_pct, std::optional<double> to = {}) {
  Prediction prediction;
  prediction.direction = Direction::decrease;
  prediction.by = by_pct;
  prediction.to = to;
  return prediction;
}

Prediction points(Direction direction, double by, std::optional<double> to = {}) {
  Prediction prediction;
  prediction.unit = "%";
  prediction.direction = direction;
  prediction.by = by;
  prediction.is_points = true;
  prediction.to = to;
  return prediction;
}

Outcome outcome(const Prediction& prediction, std::optional<double> before, std::optional<double> after) {
  return score(prediction, before, after, 0.03).outcome;
}

TEST(Prediction, TheNearerOfDistanceAndTargetMustBeReached) {
  EXPECT_DOUBLE_EQ(bound_for(falls(25, 4), 32)->value, 24);
  EXPECT_DOUBLE_EQ(bound_for(falls(25, 4), 5)->value, 4);
  EXPECT_DOUBLE_EQ(bound_for(points(Direction::increase, 5, 40), 38)->value, 40);
}

TEST(Prediction, WhereNothingIsLeftToGainNothingIsPredicted) {
  EXPECT_FALSE(bound_for(falls(25, 4), 4));
  EXPECT_FALSE(bound_for(falls(50), 0));
  EXPECT_FALSE(bound_for(points(Direction::increase, 5, 40), 60));
  const Score same = score(falls(25, 4), 4, 4, 0.03);
  EXPECT_EQ(same.outcome, Outcome::cannot_tell);
  EXPECT_EQ(same.why, "there was nothing left to gain before the change");
}

TEST(Prediction, HoldsWhenItMovedFarEnough) {
  EXPECT_EQ(outcome(falls(20), 100, 60), Outcome::held);
  EXPECT_EQ(outcome(falls(20), 100, 95), Outcome::not_held);
  EXPECT_EQ(outcome(falls(20), 100, 100), Outcome::not_held);
  EXPECT_EQ(outcome(falls(20), 100, 130), Outcome::moved_the_other_way);
}

TEST(Prediction, NearerThanNoiseToTheLineOneCannotTell) {
  EXPECT_EQ(outcome(falls(20), 100, 80), Outcome::cannot_tell);
  EXPECT_EQ(outcome(falls(20), 100, 77.1), Outcome::cannot_tell);
  EXPECT_EQ(outcome(falls(20), 100, 82.9), Outcome::cannot_tell);
  EXPECT_EQ(outcome(falls(20), 100, 76.9), Outcome::held);
}

TEST(Prediction, MissingIsNeverHeldAndNeverZero) {
  for (const auto& [before, after] : {std::pair<std::optional<double>, std::optional<double>>{100, {}}, {{}, 50}, {{}, {}}, {100, NAN}}) {
    const Score missing = score(falls(20), before, after, 0.03);
    EXPECT_EQ(missing.outcome, Outcome::cannot_tell);
    EXPECT_FALSE(missing.why.empty());
  }
  EXPECT_EQ(score(falls(20), 100, {}, 0.03).why, "it was not measured after the change");
  EXPECT_EQ(score(falls(20), 100, {}, 0.03).predicted, 80);
}

TEST(Prediction, AMeasuredZeroIsAValue) { EXPECT_EQ(outcome(falls(50, 0), 4096, 0), Outcome::held); }

TEST(Prediction, PercentagesAreNotKnownBetterThanToAPoint) {
  EXPECT_EQ(outcome(points(Direction::increase, 5), 2, 7.5), Outcome::cannot_tell);
  EXPECT_EQ(outcome(points(Direction::increase, 5), 2, 8.1), Outcome::held);
}

TEST(Prediction, PropertiesOfTheLaunchHaveNoNoise) {
  Prediction waves = falls(25);
  waves.direction = Direction::increase;
  waves.is_exact = true;
  EXPECT_EQ(outcome(waves, 4, 5), Outcome::held);
  EXPECT_EQ(outcome(waves, 4, 4.99), Outcome::not_held);
  EXPECT_EQ(outcome(waves, 4, 3.99), Outcome::moved_the_other_way);
}

TEST(Prediction, StableMayMoveALittle) {
  const Prediction stable = points(Direction::stable, 10);
  EXPECT_EQ(outcome(stable, 80, 84), Outcome::held);
  EXPECT_EQ(outcome(stable, 80, 60), Outcome::not_held);
  EXPECT_EQ(outcome(stable, 80, 70.5), Outcome::cannot_tell);
}

TEST(Prediction, SumsAreComparedByLaunch) {
  Prediction bytes = falls(10);
  bytes.is_sum = true;
  model::Reading reading;
  reading.value = 900;
  reading.launches = 3;
  EXPECT_EQ(value_to_compare(bytes, reading, 5), 300);
  reading.launches = 0;  // derived from sums
  EXPECT_EQ(value_to_compare(bytes, reading, 9), 100);
  bytes.is_sum = false;
  EXPECT_EQ(value_to_compare(bytes, reading, 9), 900);
}

}  // namespace
}  // namespace frx::advise
