#include "derive/kernel_occupancy.h"

#include <gtest/gtest.h>

namespace frx::derive {
namespace {

using knowledge::OccupancyLimiter;
using model::ComputeCapability;
using model::KernelResources;

const knowledge::GpuCatalogue& catalogue() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::GpuCatalogue catalogue = *knowledge::GpuCatalogue::load(library);
  return catalogue;
}

KernelResources kernel_with(std::uint32_t registers, std::uint64_t shared = 0) {
  KernelResources kernel;
  kernel.architecture = "sm_80";
  kernel.cc = {8, 0};
  kernel.registers_per_thread = registers;
  kernel.static_shared_bytes = shared;
  return kernel;
}

std::vector<std::uint32_t> sizes(const KernelResources& kernel, const LaunchAssumptions& assumptions = {}) {
  std::vector<std::uint32_t> threads;
  for (const KernelOccupancy& one : kernel_occupancy(kernel, *catalogue().limits({8, 0}), assumptions))
    threads.push_back(one.threads_per_block);
  return threads;
}

using Sizes = std::vector<std::uint32_t>;

TEST(KernelOccupancy, IsThatOfTheAskedBlockSize) {
  const auto found = kernel_occupancy(kernel_with(79, 33280), *catalogue().limits({8, 0}), {.threads_per_block = 384});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].from, BlockSizeFrom::asked);
  EXPECT_EQ(found[0].occupancy.active_warps, 24u);  // as Nsight Compute says of such a launch
  EXPECT_EQ(found[0].occupancy.limiters, std::vector{OccupancyLimiter::registers});
  EXPECT_FALSE(found[0].changes.empty());
}

TEST(KernelOccupancy, CountsDynamicSharedMemoryThatIsAsked) {
  const auto found =
      kernel_occupancy(kernel_with(32), *catalogue().limits({8, 0}), {.threads_per_block = 128, .dynamic_shared_bytes = 81920});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].occupancy.active_blocks, 2u);
  EXPECT_EQ(found[0].occupancy.limiters, std::vector{OccupancyLimiter::shared_memory});
}

TEST(KernelOccupancy, IsThatOfUsualBlockSizesWhenNoneIsFixed) {
  KernelResources kernel = kernel_with(32);
  EXPECT_EQ(sizes(kernel), (Sizes{64, 128, 256, 512, 1024}));
  kernel.max_threads = {96, 2, 1};
  EXPECT_EQ(sizes(kernel), (Sizes{64, 128, 192}));
  kernel.max_threads = {32, 1, 1};
  EXPECT_EQ(sizes(kernel), Sizes{32});
  kernel.max_threads = {65536, 65536, 2};
  EXPECT_EQ(sizes(kernel), (Sizes{64, 128, 256, 512, 1024}));
}

TEST(KernelOccupancy, IsThatOfTheRequiredBlockSize) {
  KernelResources kernel = kernel_with(32);
  kernel.max_threads = {1024, 1, 1};
  kernel.required_threads = {16, 16, 1};
  const auto found = kernel_occupancy(kernel, *catalogue().limits({8, 0}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].threads_per_block, 256u);
  EXPECT_EQ(found[0].from, BlockSizeFrom::required);
}

TEST(KernelOccupancy, IsUnknownWithoutRegisters) {
  KernelResources kernel = kernel_with(0);
  kernel.registers_per_thread.reset();
  for (const KernelOccupancy& one : kernel_occupancy(kernel, *catalogue().limits({8, 0}))) {
    EXPECT_FALSE(one.occupancy.known());
    EXPECT_EQ(one.occupancy.missing, std::vector<std::string_view>{"registers per thread"});
  }
}

TEST(KernelOccupancy, SaysWhyALaunchFails) {
  const auto found = kernel_occupancy(kernel_with(128), *catalogue().limits({8, 0}), {.threads_per_block = 1024});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].occupancy.launch_fails, "131072 registers for one block, at most 65536 are possible");
}

TEST(KernelOccupancy, IsNoneOfAPartThatIsNotLinked) {
  KernelResources kernel = kernel_with(32);
  kernel.relocatable = true;
  EXPECT_EQ(sizes(kernel), Sizes());
}

bool runs(const std::string& architecture, ComputeCapability cc, ComputeCapability gpu) {
  KernelResources kernel;
  kernel.architecture = architecture;
  kernel.cc = cc;
  return runs_on(kernel, gpu);
}

TEST(KernelOccupancy, IsForGpusThatTheCodeRunsOn) {
  EXPECT_TRUE(runs("sm_80", {8, 0}, {8, 0}));
  EXPECT_TRUE(runs("sm_80", {8, 0}, {8, 6}));
  EXPECT_FALSE(runs("sm_86", {8, 6}, {8, 0}));
  EXPECT_FALSE(runs("sm_80", {8, 0}, {9, 0}));
  EXPECT_TRUE(runs("sm_100f", {10, 0}, {10, 3}));
  EXPECT_FALSE(runs("sm_100a", {10, 0}, {10, 3}));
  EXPECT_TRUE(runs("sm_90a", {9, 0}, {9, 0}));
}

TEST(KernelOccupancy, ReckonsWithTheLimitsOfTheGpuOrOfTheCode) {
  const KernelResources kernel = kernel_with(32);
  EXPECT_EQ(limits_for(kernel, catalogue(), nullptr), catalogue().limits({8, 0}));
  EXPECT_EQ(limits_for(kernel, catalogue(), catalogue().limits({8, 6})), catalogue().limits({8, 6}));
  EXPECT_EQ(limits_for(kernel, catalogue(), catalogue().limits({9, 0})), nullptr);
}

}  // namespace
}  // namespace frx::derive
