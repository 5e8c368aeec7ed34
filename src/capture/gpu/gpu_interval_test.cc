#include "capture/gpu/gpu_interval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::capture {
namespace {

using model::EnergySource;
using model::GpuInterval;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t second = 1'000'000'000;

TimedSample at(double seconds, std::optional<double> watts, std::optional<std::uint64_t> millijoules = {}) {
  TimedSample one;
  one.time_ns = static_cast<std::int64_t>(seconds * 1e9);
  one.sample.power = watts;
  one.sample.total_energy_mj = millijoules;
  return one;
}

// From 0 to `until` seconds.
GpuInterval measured(const std::vector<TimedSample>& samples, double until) {
  return interval_of(samples, 0, static_cast<std::int64_t>(until * second));
}

// cgp R14: samples of at least 10 Hz, integrated.
TEST(GpuInterval, ConstantPowerIsItsProductWithTime) {
  std::vector<TimedSample> samples;
  for (int i = 0; i <= 20; ++i) samples.push_back(at(0.1 * i, 300));
  const GpuInterval interval = measured(samples, 2);
  ASSERT_TRUE(interval.energy);
  EXPECT_EQ(interval.energy->source, EnergySource::sampled_power);
  EXPECT_NEAR(interval.energy->gross.joules, 600, 1e-9);
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 0, 1e-9);
  EXPECT_NEAR(interval.power_watts->mean, 300, 1e-9);
  EXPECT_EQ(interval.samples, 21u);
  EXPECT_NEAR(*interval.longest_gap_seconds, 0.1, 1e-9);
  EXPECT_THAT(interval.notes, IsEmpty());
}

// 100 W to 200 W in a second, in ten steps of 10 W: the trapezoids are exact, the spacing leaves 10 x 10 W / 2 x 0.1 s = 5 J open, the
// sensor's second (200 W - 100 W) x 1 s / 2 = 50 J.
TEST(GpuInterval, ARampIsIntegratedByTrapezoids) {
  std::vector<TimedSample> samples;
  for (int i = 0; i <= 10; ++i) samples.push_back(at(0.1 * i, 100 + 10 * i));
  const GpuInterval interval = measured(samples, 1);
  ASSERT_TRUE(interval.energy);
  EXPECT_NEAR(interval.energy->gross.joules, 150, 1e-9);
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 55, 1e-9);
  EXPECT_EQ(interval.power_watts->min, 100);
  EXPECT_EQ(interval.power_watts->max, 200);
}

// Samples from 1 s to 2 s of an interval of 4 s. Inside: 1 s of (100 W + 200 W) / 2. First gap 100 J, last gap 2 s x 200 W. Open: 50 J
// between the two, 3 s x 100 W in the gaps, 50 J by the sensor.
TEST(GpuInterval, GapsAtTheEndsAreFilledWithTheNearestSampleAndMakeItLessCertain) {
  const GpuInterval interval = measured({at(1, 100), at(2, 200)}, 4);
  ASSERT_TRUE(interval.energy);
  EXPECT_NEAR(interval.energy->gross.joules, 100 + 150 + 400, 1e-9);
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 50 + 300 + 50, 1e-9);
  EXPECT_THAT(interval.notes, Contains(HasSubstr("power was sampled 0.2 times a second")));
}

// cgp D12: a sample without a power is left out, not taken for 0 W.
TEST(GpuInterval, ASampleWithoutPowerIsLeftOut) {
  const GpuInterval interval = measured({at(0, 100), at(0.5, std::nullopt), at(1, 100)}, 1);
  ASSERT_TRUE(interval.energy);
  EXPECT_NEAR(interval.energy->gross.joules, 100, 1e-9);
  EXPECT_EQ(interval.power_watts->min, 100);
}

TEST(GpuInterval, OneSampleIsAPowerAndNoEnergy) {
  const GpuInterval interval = measured({at(0.5, 250)}, 1);
  EXPECT_FALSE(interval.energy);
  EXPECT_EQ(interval.power_watts->mean, 250);
  EXPECT_FALSE(interval.longest_gap_seconds);
  EXPECT_THAT(interval.notes, ElementsAre(HasSubstr("one sample of power only")));
}

// cgp R12, cgp D12
TEST(GpuInterval, NoSampleIsNothing) {
  const GpuInterval interval = measured({}, 1);
  EXPECT_FALSE(interval.energy || interval.idle || interval.power_watts || interval.memory_used_bytes || interval.mean_sm_clock_mhz ||
               interval.slowed_by || interval.mean_temperature_c);
  EXPECT_EQ(interval.samples, 0u);
  EXPECT_EQ(interval.seconds, 1);
  EXPECT_FALSE(interval_of({}, second, second).seconds);
}

// cgp R14: the counter comes before the samples. 500 J in 2 s; at most 300 W for 0.1 s are open.
TEST(GpuInterval, TheCounterIsPreferred) {
  const GpuInterval interval = measured({at(0, 100, 7'000'000), at(1, 300, 7'200'000), at(2, 300, 7'500'000)}, 2);
  ASSERT_TRUE(interval.energy);
  EXPECT_EQ(interval.energy->source, EnergySource::counter);
  EXPECT_NEAR(interval.energy->gross.joules, 500, 1e-9);
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 30, 1e-9);
  EXPECT_EQ(interval.energy->seconds, 2);
  EXPECT_THAT(interval.notes, IsEmpty());
}

// cgp R14: one way alone, so that both can be compared; where it does not tell there is no energy, and a note.
TEST(GpuInterval, EnergyMayBeAskedForByOneWayAlone) {
  const std::vector<TimedSample> both = {at(0, 100, 7'000'000), at(1, 300, 7'200'000), at(2, 300, 7'500'000)};
  const GpuInterval samples = interval_of(both, 0, 2 * second, EnergySource::sampled_power);
  ASSERT_TRUE(samples.energy);
  EXPECT_EQ(samples.energy->source, EnergySource::sampled_power);
  EXPECT_NEAR(samples.energy->gross.joules, 500, 1e-9);
  EXPECT_EQ(interval_of(both, 0, 2 * second, EnergySource::counter).energy->source, EnergySource::counter);

  const std::vector<TimedSample> only_power = {at(0, 100), at(1, 300), at(2, 300)};
  const GpuInterval no_counter = interval_of(only_power, 0, 2 * second, EnergySource::counter);
  EXPECT_FALSE(no_counter.energy);
  EXPECT_THAT(no_counter.notes, Contains(HasSubstr("has no energy counter")));
  EXPECT_TRUE(no_counter.power_watts);

  EXPECT_THAT(interval_of({}, 0, second, EnergySource::counter).notes, Contains(HasSubstr("no sample was taken")));
  EXPECT_THAT(interval_of({}, 0, second, EnergySource::sampled_power).notes, Contains(HasSubstr("no sample was taken")));
  EXPECT_THAT(interval_of({{at(0, 100, 7'000'000)}}, 0, second, EnergySource::counter).notes, Contains(HasSubstr("read once only")));

  const std::vector<TimedSample> only_counter = {at(0, {}, 7'000'000), at(2, {}, 7'500'000)};
  const GpuInterval no_power = interval_of(only_counter, 0, 2 * second, EnergySource::sampled_power);
  EXPECT_FALSE(no_power.energy);
  EXPECT_THAT(no_power.notes, Contains(HasSubstr("does not tell its power")));
}

TEST(GpuInterval, ARunOfFewUpdatesOfTheCounterSaysHowLittleItKnows) {
  const GpuInterval interval = measured({at(0, 200, 1000), at(0.2, 200, 41'000)}, 0.2);
  ASSERT_TRUE(interval.energy);
  EXPECT_NEAR(interval.energy->gross.joules, 40, 1e-9);
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 20, 1e-9);
  EXPECT_THAT(interval.notes, ElementsAre(HasSubstr("known to +- 50 % only")));
}

TEST(GpuInterval, ACounterThatStartsAgainOrStandsStillIsNotUsed) {
  const GpuInterval again = measured({at(0, 100, 9'000'000), at(1, 100, 50), at(2, 100, 100'050)}, 2);
  EXPECT_EQ(again.energy->source, EnergySource::sampled_power);
  EXPECT_NEAR(again.energy->gross.joules, 200, 1e-9);
  EXPECT_THAT(again.notes, Contains(HasSubstr("started again")));
  const GpuInterval still = measured({at(0, 100, 5), at(2, 100, 5)}, 2);
  EXPECT_EQ(still.energy->source, EnergySource::sampled_power);
  EXPECT_THAT(still.notes, Contains(HasSubstr("did not advance")));
}

// The counter was read until 3 s only, of 4: the fourth second at 200 W is open.
TEST(GpuInterval, WhatTheCounterDidNotSeeIsUncertain) {
  const GpuInterval interval = measured({at(0, 100, 0), at(3, 200, 450'000), at(4, std::nullopt)}, 4);
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 200 * 1.1, 1e-9);
  EXPECT_EQ(interval.energy->seconds, 3);
}

// Readings around the interval count where there is none at its bounds: 3 s of energy for a run of 2 s, a second of which is open.
TEST(GpuInterval, ReadingsAroundTheIntervalCloseTheCounter) {
  const GpuInterval interval = measured({at(-0.5, 100, 0), at(1, 100, 150'000), at(2.5, 100, 300'000), at(3.5, 100, 400'000)}, 2);
  EXPECT_NEAR(interval.energy->gross.joules, 300, 1e-9);
  EXPECT_EQ(interval.energy->seconds, 3);
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 100 * 1.1, 1e-9);
  EXPECT_EQ(interval.seconds, 2);
}

// cgp D13: idle power is sampled before the run and stated.
TEST(GpuInterval, IdlePowerIsTheMedianBeforeTheRun) {
  const std::vector<TimedSample> samples = {at(-0.3, 60), at(-0.2, 50), at(-0.1, 52), at(0, 300), at(1, 300)};
  const GpuInterval interval = measured(samples, 1);
  ASSERT_TRUE(interval.idle);
  EXPECT_EQ(interval.idle->watts, 52);
  EXPECT_EQ(interval.idle->uncertainty_watts, 5);
  EXPECT_EQ(interval.idle->found, "median of 3 samples in 0.30 s before the run");
  EXPECT_EQ(interval.samples, 2u);
  // The sensor's second may reach back to the idle GPU: (300 W - 50 W) x 1 s / 2.
  EXPECT_NEAR(interval.energy->gross.uncertainty_joules, 125, 1e-9);
  EXPECT_NEAR(model::net_of_idle(interval)->joules, 300 - 52, 1e-9);
}

TEST(GpuInterval, TooFewIdleSamplesGiveNoIdlePower) {
  EXPECT_FALSE(measured({at(-0.2, 50), at(-0.1, 52), at(0, 300), at(1, 300)}, 1).idle);
}

TEST(GpuInterval, ABusyGpuBeforeTheRunIsTold) {
  std::vector<TimedSample> samples = {at(-0.3, 250), at(-0.2, 250), at(-0.1, 250), at(0, 300), at(1, 300)};
  samples[1].sample.utilization_gpu = 80;
  EXPECT_THAT(measured(samples, 1).notes, Contains(HasSubstr("up to 80 % busy before the run")));
}

TEST(GpuInterval, ClocksTemperatureAndMemoryAreOfTheInterval) {
  std::vector<TimedSample> samples = {at(-1, 0), at(0, 0), at(1, 0), at(2, 0)};
  for (int i = 0; i < 4; ++i) {
    GpuSample& one = samples[i].sample;
    one.index = 3, one.uuid = "GPU-x", one.name = "A GPU";
    one.sm_clock = 1000 + 100 * i;
    one.temperature = 40 + i;
    one.memory_used = i == 2 ? 3000 : 1000;
    one.memory_total = 8192;
    one.throttle_reasons = i == 1 ? 0x5 : 0x41;
  }
  samples[0].sample.sm_clock = 5000;
  samples[0].sample.memory_used = 7000;
  const GpuInterval interval = measured(samples, 2);
  EXPECT_EQ(interval.index, 3u);
  EXPECT_EQ(interval.uuid, "GPU-x");
  EXPECT_EQ(interval.mean_sm_clock_mhz, 1200);
  EXPECT_EQ(interval.mean_temperature_c, 42);
  EXPECT_EQ(interval.memory_used_bytes, 1000.0 * 1048576);
  EXPECT_EQ(interval.memory_peak_bytes, 3000.0 * 1048576);
  EXPECT_EQ(interval.memory_total_bytes, 8192.0 * 1048576);
  EXPECT_FALSE(interval.memory_free_bytes);
  EXPECT_FALSE(interval.mean_memory_clock_mhz);
  ASSERT_TRUE(interval.slowed_by);
  EXPECT_THAT(*interval.slowed_by, ElementsAre("software power cap", "hardware thermal slowdown"));
}

// An idle GPU has reasons for low clocks that slow nothing down.
TEST(GpuInterval, NothingSlowedItIsNotTheSameAsUnknown) {
  std::vector<TimedSample> samples = {at(0, 10)};
  EXPECT_FALSE(measured(samples, 1).slowed_by);
  samples[0].sample.throttle_reasons = 0x1;
  EXPECT_THAT(measured(samples, 1).slowed_by, ::testing::Optional(IsEmpty()));
}

}  // namespace
}  // namespace frx::capture
