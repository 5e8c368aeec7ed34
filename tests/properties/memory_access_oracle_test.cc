// The analysis of memory accesses against a warp that is run lane by lane, on kernels made at random.
//
// FRX_ORACLE_KERNELS says how many, FRX_ORACLE_FIRST the first seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "support/access_oracle.h"

namespace frx::testing {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

// Four parts, so that they may run at once.
constexpr std::uint64_t parts = 4;
class MemoryAccessOracle : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MemoryAccessOracle, AgreesOnRandomKernels) {
  const std::uint64_t count = number_from("FRX_ORACLE_KERNELS", 2000) / parts;
  const std::uint64_t first = number_from("FRX_ORACLE_FIRST", 1) + GetParam() * count;
  Agreement all;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomKernel kernel = random_kernel(seed);
    const Agreement one = compare_with_oracle(kernel);
    ASSERT_EQ(one.difference, "") << "seed " << seed << ", block " << kernel.block[0] << " " << kernel.block[1] << " " << kernel.block[2]
                                  << "\n"
                                  << kernel.text;
    all.accesses += one.accesses;
    all.followed += one.followed;
    all.compared += one.compared;
    all.equal += one.equal;
    all.for_all_launches += one.for_all_launches;
    all.wrapped += one.wrapped;
  }
  std::cout << count << " kernels, " << all.accesses << " accesses, " << all.followed << " followed, " << all.wrapped << " left out, "
            << all.compared << " executions within range, " << all.equal << " accesses equal, " << all.for_all_launches
            << " executions within what holds for all launches\n";
  if (count < 100) return;
  // An analysis that says nothing would agree as well.
  EXPECT_GT(all.followed, all.accesses * 7 / 10);
  EXPECT_GT(all.equal, all.accesses * 3 / 10);
  EXPECT_GT(all.for_all_launches, all.accesses * 3 / 10);
  EXPECT_LT(all.wrapped, all.accesses * 2 / 10);
}

INSTANTIATE_TEST_SUITE_P(Parts, MemoryAccessOracle, ::testing::Range(std::uint64_t{0}, parts));

}  // namespace
}  // namespace frx::testing
