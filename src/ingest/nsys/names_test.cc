#include "ingest/nsys/names.h"

#include <gtest/gtest.h>

namespace frx::ingest::nsys {
namespace {

TEST(NsysNames, CallsOfTheRuntimeLoseTheirVersion) {
  EXPECT_EQ(call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(call_name("cudaGetDeviceProperties_v2_v12000"), "cudaGetDeviceProperties_v2");
  EXPECT_EQ(call_name("cuMemcpyDtoH_v2"), "cuMemcpyDtoH_v2") << "a version of the driver is part of the name";
  EXPECT_EQ(call_name("cudaFree"), "cudaFree");
}

TEST(NsysNames, CallsOfTheDriverAreKnownByTheirCapital) {
  EXPECT_EQ(kind_of_call("cuLaunchKernel"), model::EventKind::driver);
  EXPECT_EQ(kind_of_call("cudaLaunchKernel"), model::EventKind::runtime);
  EXPECT_EQ(kind_of_call(""), model::EventKind::runtime);
}

TEST(NsysNames, CopiesAreCalledAsInTracesOfPyTorch) {
  EXPECT_EQ(copy_name(1, 1, 2), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(copy_name(2, 2, 0), "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(copy_name(8, 2, 5), "Memcpy DtoD (Device -> Device)");
  EXPECT_EQ(copy_name(11, 7, 7), "Unified Memory HtoD");
  EXPECT_EQ(copy_name(1, 7, 2), "Memcpy HtoD");
  EXPECT_EQ(copy_name(99, -1, -1), "Memcpy");
  EXPECT_EQ(fill_name(2), "Memset (Device)");
  EXPECT_EQ(fill_name(-1), "Memset");
  EXPECT_EQ(sync_name(3), "Stream Sync");
  EXPECT_EQ(sync_name(-5), "Synchronization");
}

}  // namespace
}  // namespace frx::ingest::nsys
