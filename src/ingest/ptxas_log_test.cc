#include "ingest/ptxas_log.h"

#include <gtest/gtest.h>

namespace frx::ingest {
namespace {

constexpr std::string_view two_kernels = R"([ 10%] Building CUDA object k.cu.o
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4copyPf' for 'sm_90'
ptxas info    : Function properties for _Z4copyPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 4096 bytes smem
ptxas info    : Compile time = 2.591 ms
ptxas info    : Compiling entry function '_Z5heavyPf' for 'sm_90'
ptxas info    : Function properties for _Z5heavyPf
ptxas         .     7928 bytes stack frame, 16936 bytes spill stores, 18660 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 7928 bytes cumulative stack size
)";

TEST(PtxasLog, ReadsKernelsAmongOtherOutput) {
  const std::vector<model::PtxasFunction> functions = read_ptxas_log(two_kernels);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].name, "_Z4copyPf");
  EXPECT_EQ(functions[0].architecture, "sm_90");
  EXPECT_EQ(functions[0].registers, 10u);
  EXPECT_EQ(functions[0].shared_bytes, 4096u);
  EXPECT_EQ(functions[0].barriers, 1u);
  EXPECT_EQ(functions[1].stack_bytes, 7928u);
  EXPECT_EQ(functions[1].spill_store_bytes, 16936u);
  EXPECT_EQ(functions[1].spill_load_bytes, 18660u);
}

TEST(PtxasLog, WhatIsNotSaidIsAbsent) {
  const std::vector<model::PtxasFunction> functions = read_ptxas_log(two_kernels);
  EXPECT_FALSE(functions[1].shared_bytes);
  const std::vector<model::PtxasFunction> old =
      read_ptxas_log("ptxas info    : Compiling entry function 'k' for 'sm_20'\nptxas info    : Used 7 registers\n");
  ASSERT_EQ(old.size(), 1u);
  EXPECT_FALSE(old[0].spill_store_bytes);
  EXPECT_EQ(old[0].registers, 7u);
}

// A device function has properties but no registers of its own, and must not take those of the kernel.
TEST(PtxasLog, KeepsDeviceFunctionsApart) {
  const std::vector<model::PtxasFunction> functions = read_ptxas_log(
      "ptxas info    : Compiling entry function 'k' for 'sm_89'\n"
      "ptxas info    : Function properties for k\n    608 bytes stack frame, 0 bytes spill stores, 0 bytes spill "
      "loads\n"
      "ptxas info    : Used 46 registers\n"
      "ptxas info    : Function properties for helper\n    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill "
      "loads\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_TRUE(functions[0].is_kernel);
  EXPECT_EQ(functions[0].spill_store_bytes, 0u);
  EXPECT_FALSE(functions[1].is_kernel);
  EXPECT_EQ(functions[1].spill_store_bytes, 4u);
  EXPECT_FALSE(functions[1].registers);
}

TEST(PtxasLog, OneEntryPerArchitecture) {
  const std::vector<model::PtxasFunction> functions = read_ptxas_log(
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\nptxas info    : Used 10 registers\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used 12 registers\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].registers, 10u);
  EXPECT_EQ(functions[1].registers, 12u);
}

TEST(PtxasLog, OfAnythingElseIsEmpty) {
  EXPECT_TRUE(read_ptxas_log("").empty());
  EXPECT_TRUE(read_ptxas_log("hello\nUsed 3 registers\n: Used 3 registers\n 4 bytes stack frame\n").empty());
}

}  // namespace
}  // namespace frx::ingest
