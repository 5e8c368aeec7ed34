#include "derive/trace/transfers.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

std::string copy(double begin, double length, std::string_view name, std::string_view bytes) {
  return event("gpu_memcpy", name, "0/7", begin, length, fmt::format(R"("device": 0, "stream": 7{})", bytes));
}

TEST(CopyRates, AreBytesByTimeOfEachKind) {
  const model::Timeline timeline = trace_of(trace_with(copy(0, 400, "Memcpy HtoD (Pinned -> Device)", R"(, "bytes": 8000000)") +
                                                       copy(500, 2, "Memcpy HtoD (Pinned -> Device)", R"(, "bytes": 4)") +
                                                       copy(600, 10, "Memcpy DtoH (Device -> Pageable)", "")));
  const std::vector<CopyRate> rates = copy_rates(timeline, attribute(timeline), -1);
  ASSERT_EQ(rates.size(), 2u);
  EXPECT_EQ(rates[0].bytes, 8'000'004u);
  EXPECT_NEAR(*gigabytes_per_second(rates[0].bytes, rates[0].ns), 8'000'004 / 402'000.0, 1e-9);
  EXPECT_NEAR(*gigabytes_per_second(rates[0].largest_bytes, rates[0].largest_ns), 20, 1e-9);
  EXPECT_EQ(rates[1].without_bytes, 1u);
  EXPECT_EQ(rates[1].bytes, 0u);
  EXPECT_EQ(gigabytes_per_second(4, 0), std::nullopt);
}

TEST(CollectiveRates, TheFactorIsWhatCrossesTheLinksOfARank) {
  EXPECT_DOUBLE_EQ(*bus_factor("allreduce", 8), 2 * 7.0 / 8);
  EXPECT_DOUBLE_EQ(*bus_factor("_allgather_base", 4), 3.0 / 4);
  EXPECT_DOUBLE_EQ(*bus_factor("reduce_scatter_tensor", 4), 3.0 / 4);
  EXPECT_DOUBLE_EQ(*bus_factor("all_to_allv", 2), 1.0 / 2);
  EXPECT_DOUBLE_EQ(*bus_factor("broadcast", 8), 1);
  EXPECT_EQ(bus_factor("barrier", 8), std::nullopt);
  EXPECT_EQ(bus_factor("allreduce", 0), std::nullopt);
}

std::string collective(double begin, double length, std::string_view name, std::string_view arguments) {
  return event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "0/20", begin, length,
               fmt::format(R"("device": 0, "stream": 20, "Collective name": "{}"{})", name, arguments));
}

TEST(CollectiveRates, AreOfTheMessageAndTheNumberOfRanks) {
  const std::string message = R"(, "In msg nelems": 1000000, "Out msg nelems": 1000000, "dtype": "Float", "Group size": 4)";
  const std::string gathered =
      R"(, "In msg nelems": 1000, "Out msg nelems": 4000, "dtype": "BFloat16", "Process Group Ranks": "[0, 1, 2, 3]")";
  const model::Timeline timeline = trace_of(trace_with(
      collective(0, 100, "allreduce", message) + collective(200, 300, "allreduce", message) + collective(600, 10, "allgather", gathered) +
      event("kernel", "ncclKernel", "0/20", 700, 10, R"("device": 0, "stream": 20)")));
  const CollectiveRates found = collective_rates(timeline, attribute(timeline), -1);
  ASSERT_EQ(found.rates.size(), 2u);
  EXPECT_EQ(found.rates[0].bytes, 4'000'000u);
  EXPECT_EQ(found.rates[0].calls, 2u);
  EXPECT_EQ(found.rates[0].shortest_ns, 100'000);
  EXPECT_DOUBLE_EQ(found.rates[0].factor, 1.5);
  // 4 MB in 100 us are 40 GB/s, of which each rank sends one and a half times.
  EXPECT_DOUBLE_EQ(*gigabytes_per_second(found.rates[0].bytes, found.rates[0].shortest_ns) * found.rates[0].factor, 60);
  EXPECT_EQ(found.rates[1].bytes, 8'000u);
  EXPECT_EQ(found.rates[1].ranks, 4u);
  EXPECT_EQ(found.without_message, 1u);
}

}  // namespace
}  // namespace frx::derive::trace
