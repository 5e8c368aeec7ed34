#include "model/gpu_interval.h"

#include <gtest/gtest.h>

namespace frx::model {
namespace {

// 100 J in 2 s, +- 4 J; idle 10 W, +- 0.5 W.
GpuInterval measured(EnergySource source, std::size_t samples) {
  GpuInterval interval;
  interval.samples = samples;
  interval.energy = GpuEnergy{{100, 4}, source, 2};
  interval.idle = IdlePower{10, 0.5, "by hand"};
  return interval;
}

TEST(GpuInterval, IdlePowerIsTakenOffTheEnergy) {
  const std::optional<Joules> net = net_of_idle(measured(EnergySource::counter, 2));
  ASSERT_TRUE(net);
  EXPECT_DOUBLE_EQ(net->joules, 80);             // 100 J - 10 W x 2 s
  EXPECT_DOUBLE_EQ(net->uncertainty_joules, 5);  // 4 J + 0.5 W x 2 s
  GpuInterval no_idle = measured(EnergySource::counter, 2);
  no_idle.idle.reset();
  EXPECT_FALSE(net_of_idle(no_idle));
  EXPECT_FALSE(net_of_idle(GpuInterval()));
}

// cgp R14: energy per launch only where the run is long enough.
TEST(GpuInterval, AnEnergyIsDividedOnlyWhenItIsWellKnown) {
  EXPECT_FALSE(energy_per(measured(EnergySource::sampled_power, 19), 10));
  const auto by_samples = energy_per(measured(EnergySource::sampled_power, 20), 10);
  ASSERT_TRUE(by_samples && by_samples->net);
  EXPECT_DOUBLE_EQ(by_samples->gross.joules, 10);
  EXPECT_DOUBLE_EQ(by_samples->gross.uncertainty_joules, 0.4);
  EXPECT_DOUBLE_EQ(by_samples->net->joules, 8);
  EXPECT_TRUE(energy_per(measured(EnergySource::counter, 2), 10));
}

// cgp D12: what is not known is absent, not zero.
TEST(GpuInterval, AnUnknownDivisorGivesNoEnergy) {
  for (const std::optional<double> count : {std::optional<double>(), std::optional(0.0), std::optional(-1.0), std::optional(0.0 / 0.0)}) {
    EXPECT_FALSE(energy_per(measured(EnergySource::counter, 50), count));
  }
  EXPECT_FALSE(energy_per(GpuInterval(), 10));
}

}  // namespace
}  // namespace frx::model
