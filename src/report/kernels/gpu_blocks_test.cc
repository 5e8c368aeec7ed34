#include "report/kernels/gpu_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace gpu_blocks_test {  // files are compiled in groups
namespace {

model::GpuInterval gpu(std::string name, std::string uuid) {
  model::GpuInterval interval;
  interval.name = std::move(name);
  interval.uuid = std::move(uuid);
  interval.driver = "550.54.15";
  interval.source = "NVML 12.550.54";
  return interval;
}

TEST(GpuBlocks, WhatTheDriverDoesNotTellIsAbsent) {
  const model::GpuInterval one[] = {gpu("Tesla T4", "GPU-1")};
  model::FullProfile profile;
  add_gpu_blocks(one, "while ncu ran", profile);
  EXPECT_EQ(profile.hardware.driver, "550.54.15");
  EXPECT_EQ(profile.hardware.gpu_uuid, "GPU-1");
  EXPECT_FALSE(model::full_profile::is_collected(profile.vram));
  EXPECT_FALSE(model::full_profile::is_collected(profile.system_health));
  EXPECT_FALSE(model::full_profile::is_collected(profile.energy));
}

TEST(GpuBlocks, MemoryIsInMebibytesAndPowerThatOfTheInterval) {
  model::GpuInterval one = gpu("Tesla T4", "GPU-1");
  one.memory_used_bytes = 512.0 * (1 << 20);
  one.memory_total_bytes = 2048.0 * (1 << 20);
  one.power_watts = model::SampledRange{60, 40, 70};
  model::FullProfile profile;
  add_gpu_blocks(std::span(&one, 1), "while ncu ran", profile);
  EXPECT_EQ(profile.vram.vram_used_mb, 512);
  EXPECT_EQ(profile.vram.vram_utilization_pct, 25);
  EXPECT_EQ(profile.system_health.gpu_power_watts, 60);
  EXPECT_EQ(profile.provenance.at("system_health"), "NVML 12.550.54 while ncu ran");
}

// The kernel's device and the GPU of a row are not known to be the same.
TEST(GpuBlocks, OfSeveralGpusNothingIsTaken) {
  const model::GpuInterval two[] = {gpu("Tesla T4", "GPU-1"), gpu("NVIDIA L4", "GPU-2")};
  model::FullProfile profile;
  add_gpu_blocks(two, "while ncu ran", profile);
  EXPECT_EQ(profile.hardware.gpu_uuid, std::nullopt);
  EXPECT_FALSE(profile.notes.empty());
  model::Session session;
  session.devices[0] = {};
  name_devices(two, session);
  EXPECT_EQ(session.devices[0].name, "");
  const model::GpuInterval same[] = {gpu("NVIDIA L4", "GPU-1"), gpu("NVIDIA L4", "GPU-2")};
  name_devices(same, session);
  EXPECT_EQ(session.devices[0].name, "NVIDIA L4");
}

// 3000 J in 10 s, 2000 J of them without idle power; a kernel of 500 us at 30 TFLOP/s.
struct EnergyOfARun {
  model::GpuInterval run = gpu("Tesla T4", "GPU-1");
  KernelProfile made;
  explicit EnergyOfARun(std::size_t samples) {
    run.samples = samples;
    run.energy = model::GpuEnergy{{3000, 30}, model::EnergySource::counter, 10};
    run.idle = model::IdlePower{100, 2, "median of 6 samples in 0.50 s before the run"};
    made.profile.timing.wall_clock_time_us = 500;
    made.profile.throughput.tflops = 30;
    made.matches.resize(1);
    made.matches.front().total_us = 9e6;
  }
  const model::full_profile::ProfiledEnergy& energy() {
    add_energy(std::span(&run, 1), made);
    return made.profile.energy;
  }
};

// cgp R14, cgp D13: power is that of a run without a profiler, and the energy of a launch its product with the time of the kernel.
TEST(GpuBlocks, EnergyOfALaunchIsPowerOfTheRunTimesTimeOfTheKernel) {
  EnergyOfARun one(model::fewest_samples_to_divide);
  const auto& energy = one.energy();
  EXPECT_EQ(energy.average_power_watts, 300);
  EXPECT_EQ(energy.net_power_watts, 200);
  EXPECT_EQ(energy.run_joules, 3000);
  EXPECT_EQ(energy.run_uncertainty_joules, 30);
  EXPECT_EQ(energy.run_net_joules, 2000);
  EXPECT_EQ(energy.run_net_uncertainty_joules, 50);
  EXPECT_EQ(energy.source, "NVML energy counter");
  EXPECT_DOUBLE_EQ(energy.tflops_per_watt.value(), 0.1);
  EXPECT_DOUBLE_EQ(energy.joules_per_inference.value(), 0.15);
  EXPECT_THAT(one.made.profile.provenance.at("energy"), ::testing::HasSubstr("by NVML 12.550.54 while the program ran by itself"));
  EXPECT_THAT(one.made.hints, ::testing::IsEmpty());
  EXPECT_THAT(one.made.profile.notes, ::testing::IsEmpty());
}

// cgp R14: one sample too few.
TEST(GpuBlocks, OfAShortRunNoEnergyOfALaunchIsTold) {
  EnergyOfARun one(model::fewest_samples_to_divide - 1);
  EXPECT_EQ(one.energy().joules_per_inference, std::nullopt);
  EXPECT_TRUE(one.made.profile.energy.tflops_per_watt);
  EXPECT_THAT(one.made.hints, ::testing::ElementsAre(::testing::HasSubstr("19 samples of power where 20 are needed")));
}

TEST(GpuBlocks, AKernelOfASmallPartOfTheRunIsNoted) {
  EnergyOfARun one(100);
  one.made.matches.front().total_us = 4.9e6;
  one.energy();
  EXPECT_THAT(one.made.profile.notes, ::testing::ElementsAre(::testing::HasSubstr("take 49 % of the time")));
}

// cgp R13, cgp D23: power of one of two GPUs is not that of the kernel.
TEST(GpuBlocks, EnergyOfSeveralGpusIsNotThatOfTheKernel) {
  const EnergyOfARun one(100);
  const model::GpuInterval two[] = {one.run, one.run};
  KernelProfile made;
  made.profile.throughput.tflops = 30;
  add_energy(two, made);
  EXPECT_FALSE(model::full_profile::is_collected(made.profile.energy));
  EXPECT_THAT(made.hints, ::testing::ElementsAre(::testing::HasSubstr("which of several GPUs ran the kernel")));
}

// cgp R12: no rate, no idle power and no energy are absent, never 0.
TEST(GpuBlocks, WhatEnergyLacksIsAbsentWithAReason) {
  EnergyOfARun no_rate(100);
  no_rate.made.profile.throughput.tflops.reset();
  no_rate.run.idle.reset();
  EXPECT_EQ(no_rate.energy().tflops_per_watt, std::nullopt);
  EXPECT_EQ(no_rate.made.profile.energy.net_power_watts, std::nullopt);
  EnergyOfARun no_energy(100);
  no_energy.run.energy.reset();
  EXPECT_FALSE(model::full_profile::is_collected(no_energy.energy()));
  EXPECT_THAT(no_energy.made.hints, ::testing::ElementsAre(::testing::HasSubstr("neither energy nor power")));
  KernelProfile nothing;
  add_energy({}, nothing);
  EXPECT_FALSE(model::full_profile::is_collected(nothing.profile.energy));
  EXPECT_THAT(nothing.hints, ::testing::ElementsAre(::testing::HasSubstr("no GPU could be asked")));
}

}  // namespace
}  // namespace gpu_blocks_test
}  // namespace frx::report
