#include "knowledge/occupancy.h"

#include <gtest/gtest.h>

namespace frx::knowledge {
namespace {

const GpuCatalogue& gpus_with_limits() {
  static const Library library = Library::builtin();
  static const GpuCatalogue catalogue = *GpuCatalogue::load(library);
  return catalogue;
}

const SmLimits& sm(int major, int minor) { return *gpus_with_limits().limits({major, minor}); }

LaunchShape launch(std::uint32_t threads, std::uint32_t registers, std::uint32_t static_bytes = 0, std::uint32_t dynamic_bytes = 0) {
  LaunchShape shape;
  shape.threads_per_block = threads;
  shape.registers_per_thread = registers;
  shape.static_shared_bytes = static_bytes;
  shape.dynamic_shared_bytes = dynamic_bytes;
  return shape;
}

using Limiters = std::vector<OccupancyLimiter>;

// What Nsight Compute printed for real launches: the limits per resource and the resident warps.
struct Measured {
  model::ComputeCapability cc;
  std::uint32_t threads, registers, static_bytes, dynamic_bytes, configuration;
  std::uint32_t by_warps, by_blocks, by_registers, by_shared;
  std::uint32_t warps;
};
constexpr Measured measured[] = {
    {{6, 1}, 1024, 14, 0, 0, 0, 2, 32, 4, 32, 64},            // GTX 1070 Ti
    {{7, 0}, 192, 58, 0, 0, 0, 10, 32, 5, 32, 30},            // V100
    {{7, 0}, 192, 20, 0, 0, 0, 10, 32, 14, 32, 60},           // V100: six warps do not divide 64
    {{7, 5}, 1, 16, 0, 0, 32768, 32, 16, 128, 16, 16},        // GTX 1650: one thread costs a warp
    {{7, 5}, 128, 22, 0, 816, 32768, 8, 16, 21, 32, 32},      // GTX 1650
    {{8, 0}, 384, 79, 33280, 0, 167936, 5, 32, 2, 4, 24},     // A100
    {{8, 0}, 256, 255, 0, 0, 8192, 8, 32, 1, 8, 8},           // A100: 12.5 %
    {{8, 0}, 256, 230, 0, 147456, 167936, 8, 32, 1, 1, 8},    // A100, cutlass
    {{8, 0}, 10, 16, 0, 0, 32768, 64, 32, 128, 32, 32},       // A100: a tenth of a warp wasted 22 times over
    {{8, 6}, 32, 56, 0, 8192, 102400, 48, 16, 36, 11, 11},    // A10G
    {{8, 6}, 1024, 17, 4224, 0, 8192, 1, 16, 2, 1, 32},       // RTX 3060 Laptop
    {{8, 6}, 128, 122, 12544, 0, 65536, 12, 16, 4, 4, 16},    // A10G: two limits at once
    {{8, 9}, 6, 32, 0, 0, 32768, 48, 24, 64, 32, 24},         // RTX 4090
    {{8, 9}, 512, 18, 0, 2060, 32768, 3, 24, 5, 10, 48},      // RTX 4090: 100 %
    {{9, 0}, 128, 62, 16, 24120, 233472, 16, 32, 8, 9, 32},   // GH200
    {{9, 0}, 256, 42, 0, 0, 32768, 8, 32, 5, 32, 40},         // GH200
    {{10, 0}, 128, 72, 0, 9216, 135168, 16, 32, 7, 13, 28},   // B200
    {{10, 0}, 384, 168, 0, 232448, 233472, 5, 32, 1, 1, 12},  // B200: all of the shared memory
};

TEST(Occupancy, AgreesWithNsightComputeOnRealLaunches) {
  for (const Measured& row : measured) {
    LaunchShape shape = launch(row.threads, row.registers, row.static_bytes, row.dynamic_bytes);
    if (row.configuration > 0) shape.carve_out_bytes = row.configuration;
    const SmLimits& limits = *gpus_with_limits().limits(row.cc);
    const Occupancy result = occupancy(shape, limits);
    const std::string name = fmt::format("{} threads, {} registers on {}", row.threads, row.registers, to_string(row.cc));
    ASSERT_TRUE(result.known()) << name;
    EXPECT_EQ(result.blocks_by_warps, row.by_warps) << name;
    EXPECT_EQ(result.blocks_by_blocks, row.by_blocks) << name;
    EXPECT_EQ(result.blocks_by_registers, row.by_registers) << name;
    // The tool prints the block limit where shared memory cannot limit.
    EXPECT_EQ(result.blocks_by_shared_memory.value_or(limits.blocks_per_sm), row.by_shared) << name;
    EXPECT_EQ(result.active_warps, row.warps) << name;
  }
}

TEST(Occupancy, RoundsRegistersUpToTheAllocationUnit) {
  const Occupancy result = occupancy(launch(256, 33), sm(8, 0));
  EXPECT_EQ(result.active_warps, 48u);
  EXPECT_DOUBLE_EQ(*result.occupancy_pct, 75);
  EXPECT_EQ(result.registers_per_block, 8u * 1280);
  EXPECT_EQ(result.limiters, Limiters{OccupancyLimiter::registers});
}

TEST(Occupancy, AllowsTheOptInSharedMemoryOfHopper) {
  const Occupancy result = occupancy(launch(384, 168, 0, 200000), sm(9, 0));
  EXPECT_FALSE(result.launch_fails);
  EXPECT_EQ(result.active_blocks, 1u);
  EXPECT_EQ(result.active_warps, 12u);
  EXPECT_DOUBLE_EQ(*result.occupancy_pct, 18.75);
  EXPECT_EQ(result.limiters, (Limiters{OccupancyLimiter::registers, OccupancyLimiter::shared_memory}));
}

TEST(Occupancy, IsLimitedByTheNumberOfBlocksWhenTheyAreTiny) {
  const Occupancy result = occupancy(launch(1, 16), sm(11, 0));
  EXPECT_EQ(result.active_warps, 24u);
  EXPECT_DOUBLE_EQ(*result.occupancy_pct, 50);
  EXPECT_EQ(result.limiters, Limiters{OccupancyLimiter::blocks});
}

TEST(Occupancy, NamesNoLimiterAtAHundredPerCent) {
  const Occupancy result = occupancy(launch(256, 32), sm(7, 5));
  EXPECT_DOUBLE_EQ(*result.occupancy_pct, 100);
  EXPECT_TRUE(result.limiters.empty());
  EXPECT_TRUE(what_would_change(launch(256, 32), sm(7, 5)).empty());
}

TEST(Occupancy, PaysTheSystemsKilobyteFromAmpereOnOnly) {
  EXPECT_EQ(occupancy(launch(128, 32, 1024), sm(7, 5)).shared_per_block, 1024u);
  EXPECT_EQ(occupancy(launch(128, 32, 1024), sm(8, 6)).shared_per_block, 2048u);
  EXPECT_FALSE(occupancy(launch(128, 32), sm(7, 5)).blocks_by_shared_memory);
}

TEST(Occupancy, IsUnknownWhenAnInputIsMissingAndNamesNoLimiterForIt) {
  LaunchShape shape = launch(256, 32);
  shape.threads_per_block.reset();
  const Occupancy result = occupancy(shape, sm(8, 0));
  EXPECT_FALSE(result.known());
  EXPECT_EQ(result.missing, std::vector<std::string_view>{"threads per block"});
  EXPECT_TRUE(result.limiters.empty());
  EXPECT_FALSE(result.launch_fails);
  EXPECT_TRUE(what_would_change(shape, sm(8, 0)).empty());
}

TEST(Occupancy, StillTellsTheLimitsThatDoNotNeedTheMissingInput) {
  LaunchShape shape = launch(256, 32);
  shape.registers_per_thread.reset();
  const Occupancy result = occupancy(shape, sm(8, 0));
  EXPECT_FALSE(result.known());
  EXPECT_EQ(result.blocks_by_warps, 8u);
  EXPECT_FALSE(result.blocks_by_registers);
}

TEST(Occupancy, SaysWhyALaunchIsImpossible) {
  const auto why = [](const LaunchShape& shape, const SmLimits& limits) {
    return occupancy(shape, limits).launch_fails.value_or("it launches");
  };
  EXPECT_EQ(why(launch(1025, 32), sm(8, 0)), "1025 threads per block, at most 1024 are possible");
  EXPECT_EQ(why(launch(0, 32), sm(8, 0)), "a block needs at least one thread");
  EXPECT_EQ(why(launch(1024, 72), sm(8, 0)), "73728 registers for one block, at most 65536 are possible");
  EXPECT_EQ(why(launch(288, 255), sm(8, 0)), "98304 registers for one block, at most 65536 are possible");
  EXPECT_EQ(why(launch(32, 256), sm(8, 0)), "256 registers per thread, at most 255 are possible");
  EXPECT_EQ(why(launch(32, 32, 0, 101377), sm(8, 6)), "101377 bytes of shared memory per block, at most 101376 are possible");
  EXPECT_EQ(why(launch(32, 32, 0, 101376), sm(8, 6)), "it launches");
  EXPECT_EQ(why(launch(32, 32, 0, 4294967295u), sm(8, 6)), "4294967295 bytes of shared memory per block, at most 101376 are possible");
  EXPECT_NE(why(launch(32, 32, 49153), sm(8, 6)).find("needs dynamic shared memory"), std::string::npos);
  LaunchShape clustered = launch(128, 32);
  clustered.cluster_size = 2;
  EXPECT_EQ(why(clustered, sm(8, 6)), "a cluster of 2 blocks, but compute capability 8.6 has no clusters");
  EXPECT_EQ(why(clustered, sm(9, 0)), "it launches");
}

TEST(Occupancy, IgnoresAConfigurationThatCannotHoldOneBlock) {
  LaunchShape shape = launch(128, 32, 0, 65536);
  shape.carve_out_bytes = 16384;
  EXPECT_EQ(occupancy(shape, sm(8, 0)).blocks_by_shared_memory, 2u);
}

TEST(WhatWouldChange, FindsTheMostRegistersThatGainABlock) {
  const std::vector<OccupancyChange> changes = what_would_change(launch(256, 72), sm(8, 0));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].registers_per_thread, 64u);
  EXPECT_EQ(changes[0].blocks, 4u);
  EXPECT_EQ(changes[0].text, "reduce registers per thread from 72 to 64: 4 blocks per SM instead of 3, occupancy 50 % instead of 37.5 %");
}

TEST(WhatWouldChange, FindsTheMostSharedMemoryThatGainsABlock) {
  const std::vector<OccupancyChange> changes = what_would_change(launch(128, 32, 0, 33280), sm(8, 6));
  ASSERT_FALSE(changes.empty());
  ASSERT_TRUE(changes[0].shared_bytes);
  EXPECT_EQ(changes[0].blocks, 3u);
  LaunchShape one_unit_more = launch(128, 32, 0, *changes[0].shared_bytes + 1);
  EXPECT_EQ(occupancy(one_unit_more, sm(8, 6)).active_blocks, 2u);
  EXPECT_EQ(occupancy(launch(128, 32, 0, *changes[0].shared_bytes), sm(8, 6)).active_blocks, 3u);
}

TEST(WhatWouldChange, ChangesBothWhenBothBind) {
  const std::vector<OccupancyChange> changes = what_would_change(launch(128, 122, 12544), sm(8, 0));
  const Occupancy now = occupancy(launch(128, 122, 24064), sm(8, 6));
  ASSERT_EQ(now.limiters, (Limiters{OccupancyLimiter::registers, OccupancyLimiter::shared_memory}));
  const std::vector<OccupancyChange> both = what_would_change(launch(128, 122, 24064), sm(8, 6));
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].registers_per_thread, 96u);
  EXPECT_TRUE(both[0].shared_bytes);
  EXPECT_EQ(both[0].blocks, 5u);
  ASSERT_EQ(changes.size(), 1u);  // with more shared memory per SM the registers alone decide
  EXPECT_FALSE(changes[0].shared_bytes);
}

TEST(WhatWouldChange, OffersALargerCarveOutWhenTheConfigurationBinds) {
  LaunchShape shape = launch(128, 32, 0, 8192);
  shape.carve_out_bytes = 32768;
  const std::vector<OccupancyChange> changes = what_would_change(shape, sm(8, 6));
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes.back().carve_out_bytes, 65536u);
  EXPECT_EQ(changes.back().blocks, 7u);
}

TEST(WhatWouldChange, OffersABlockSizeWhenTheBlocksBind) {
  const std::vector<OccupancyChange> changes = what_would_change(launch(64, 16), sm(8, 6));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].threads_per_block, 96u);
  EXPECT_DOUBLE_EQ(changes[0].occupancy_pct, 100);
}

TEST(WhatWouldChange, OffersABlockSizeThatDividesTheSm) {
  const std::vector<OccupancyChange> changes = what_would_change(launch(1024, 16), sm(8, 6));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].threads_per_block, 768u);
}

}  // namespace
}  // namespace frx::knowledge
