// With FAKES of NVML and nvidia-smi: no GPU is looked at, the power of 345.67 W is made up.
#include "capture/gpu/gpu_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "capture/fake_host.h"
#include "capture/gpu/fake_driver.h"

namespace frx::capture {
namespace {

using namespace std::chrono_literals;
using model::EnergySource;
using model::GpuInterval;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double fake_watts = 345.67;

GpuMeasurement measure(const FakeHost& host, std::chrono::milliseconds workload = 300ms) {
  GpuMeter meter = GpuMeter::start({20ms, 100ms}, host);
  std::this_thread::sleep_for(workload);
  return meter.stop();
}

// cgp R14, cgp D13: the energy is that of the run, by the counter, and not power read once after it.
TEST(GpuMeter, TakesTheDifferenceOfTheEnergyCounter) {
  const GpuMeasurement measured = measure(host_with_nvml());
  EXPECT_THAT(measured.warnings, IsEmpty());
  EXPECT_EQ(measured.source, "NVML 0.fake");
  ASSERT_EQ(measured.gpus.size(), 2u);
  const GpuInterval& gpu = measured.gpus[0];
  EXPECT_EQ(gpu.driver, "999.88.77");
  ASSERT_TRUE(gpu.energy && gpu.seconds && gpu.idle);
  EXPECT_EQ(gpu.energy->source, EnergySource::counter);
  EXPECT_NEAR(gpu.energy->gross.joules, fake_watts * gpu.energy->seconds, 1);
  EXPECT_NEAR(gpu.idle->watts, fake_watts, 1e-6);
  EXPECT_THAT(gpu.idle->found, HasSubstr("before the run"));
  EXPECT_NEAR(model::net_of_idle(gpu)->joules, 0, gpu.energy->gross.uncertainty_joules);
  EXPECT_EQ(gpu.memory_used_bytes, 20.0 * (1 << 30));
  EXPECT_EQ(gpu.memory_free_bytes, 60.0 * (1 << 30));
  EXPECT_THAT(gpu.slowed_by, ::testing::Optional(ElementsAre("software power cap")));
}

// cgp R13, cgp D23: one record for each GPU of the workload, by its UUID.
TEST(GpuMeter, KeepsTheGpusApart) {
  FakeHost host = host_with_nvml();
  EXPECT_EQ(measure(host, 1ms).gpus[1].uuid, "GPU-00000001-fake");
  host.variables["CUDA_VISIBLE_DEVICES"] = "GPU-00000001";
  const GpuMeasurement measured = measure(host, 1ms);
  ASSERT_EQ(measured.gpus.size(), 1u);
  EXPECT_EQ(measured.gpus[0].index, 1u);
}

TEST(GpuMeter, IntegratesPowerWhereThereIsNoCounter) {
  const Variable trouble("FAKE_NVML_TROUBLE", "energy");
  const GpuMeasurement measured = measure(host_with_nvml());
  ASSERT_FALSE(measured.gpus.empty());
  const GpuInterval& gpu = measured.gpus[0];
  ASSERT_TRUE(gpu.energy);
  EXPECT_EQ(gpu.energy->source, EnergySource::sampled_power);
  EXPECT_NEAR(gpu.energy->gross.joules, fake_watts * *gpu.seconds, 1e-6);
}

// cgp R14: so that both ways can be compared on one GPU.
TEST(GpuMeter, IntegratesPowerBesideACounterWhereThatIsAskedFor) {
  const FakeHost host = host_with_nvml();
  GpuMeter meter = GpuMeter::start({20ms, 0ms, EnergySource::sampled_power}, host);
  std::this_thread::sleep_for(100ms);
  const GpuMeasurement measured = meter.stop();
  ASSERT_FALSE(measured.gpus.empty());
  ASSERT_TRUE(measured.gpus[0].energy);
  EXPECT_EQ(measured.gpus[0].energy->source, EnergySource::sampled_power);
}

TEST(GpuMeter, ACounterThatIsResetIsNotBelieved) {
  const Variable trouble("FAKE_NVML_TROUBLE", "reset");
  const GpuMeasurement measured = measure(host_with_nvml());
  ASSERT_FALSE(measured.gpus.empty());
  EXPECT_EQ(measured.gpus[0].energy->source, EnergySource::sampled_power);
  EXPECT_THAT(measured.gpus[0].notes, Contains(HasSubstr("started again")));
}

TEST(GpuMeter, AsksNvidiaSmiWhereThereIsNoNvml) {
  const Variable power("FAKE_SMI_POWER", "200.00");
  const GpuMeasurement measured = measure(host_with_nvidia_smi());
  EXPECT_EQ(measured.source, "nvidia-smi");
  ASSERT_EQ(measured.gpus.size(), 2u);
  ASSERT_TRUE(measured.gpus[1].energy);
  EXPECT_EQ(measured.gpus[1].energy->source, EnergySource::sampled_power);
  EXPECT_NEAR(measured.gpus[1].energy->gross.joules, 200 * *measured.gpus[1].seconds, 1e-6);
}

// cgp D12: "[N/A]" is no power of 0 W.
TEST(GpuMeter, AGpuThatDoesNotTellItsPowerHasNoEnergy) {
  const GpuMeasurement measured = measure(host_with_nvidia_smi());
  ASSERT_EQ(measured.gpus.size(), 2u);
  EXPECT_FALSE(measured.gpus[0].energy || measured.gpus[0].power_watts || measured.gpus[0].idle);
  EXPECT_TRUE(measured.gpus[0].memory_used_bytes);
}

TEST(GpuMeter, ADriverThatHangsDuringTheRunEndsTheNumbersNotTheProgram) {
  const Variable trouble("FAKE_NVML_TROUBLE", "hangs-later");
  const GpuMeasurement measured = measure(host_with_nvml());
  EXPECT_THAT(measured.warnings, Contains(HasSubstr("did not answer at the end")));
}

TEST(GpuMeter, WithoutADriverThereIsAWarningAndNoGpu) {
  const GpuMeasurement measured = measure(FakeHost());
  EXPECT_THAT(measured.warnings, ElementsAre("no GPU metrics: no NVIDIA driver on this machine"));
  EXPECT_THAT(measured.gpus, IsEmpty());
}

}  // namespace
}  // namespace frx::capture
