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
  add_gpu_blocks(one, profile);
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
  add_gpu_blocks(std::span(&one, 1), profile);
  EXPECT_EQ(profile.vram.vram_used_mb, 512);
  EXPECT_EQ(profile.vram.vram_utilization_pct, 25);
  EXPECT_EQ(profile.system_health.gpu_power_watts, 60);
  EXPECT_EQ(profile.provenance.at("system_health"), "NVML 12.550.54 while ncu ran");
}

// The kernel's device and the GPU of a row are not known to be the same.
TEST(GpuBlocks, OfSeveralGpusNothingIsTaken) {
  const model::GpuInterval two[] = {gpu("Tesla T4", "GPU-1"), gpu("NVIDIA L4", "GPU-2")};
  model::FullProfile profile;
  add_gpu_blocks(two, profile);
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

}  // namespace
}  // namespace gpu_blocks_test
}  // namespace frx::report
