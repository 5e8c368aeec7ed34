#include "derive/layout/critical_work.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::layout {
namespace {

using frx::testing::event;

// Kernels and what launches them, by hand: the recordings of testing.h queue nothing.
class CriticalWorkOf : public ::testing::Test {
 protected:
  void kernel(int launched, int start, int duration, int stream = 7) {
    const std::string ids = fmt::format(R"("correlation": {}, "device": 0, "stream": {})", ++launches_, stream);
    events_ += event("cuda_runtime", "cudaLaunchKernel", "1/1", launched, 1, fmt::format(R"("correlation": {})", launches_));
    events_ += event("kernel", "k", fmt::format("0/{}", stream), start, duration, ids);
  }
  void wait(int start, int duration) { events_ += event("cuda_runtime", "cudaStreamSynchronize", "1/1", start, duration); }
  double share(std::vector<std::uint32_t> work) const {
    const std::unique_ptr<LayoutTrace> trace = LayoutTrace::of(frx::testing::trace_of(frx::testing::trace_with(events_))).value();
    return CriticalWork::of(*trace).value().share_of(work);
  }

 private:
  std::string events_;
  int launches_ = 0;
};

TEST_F(CriticalWorkOf, WorkBeforeWorkThatWasLaunchedAlreadyIsWaitedFor) {
  kernel(0, 10, 10);
  kernel(5, 20, 10);
  EXPECT_EQ(share({0}), 1);
  EXPECT_EQ(share({1}), 0) << "nothing comes after it";
}

TEST_F(CriticalWorkOf, WorkAfterWhichTheGpuRanOutOfWorkIsNot) {
  kernel(0, 10, 10);
  kernel(40, 50, 10);
  EXPECT_EQ(share({0}), 0);
}

TEST_F(CriticalWorkOf, WorkThatTheProgramWaitsForIs) {
  kernel(0, 10, 10);
  wait(5, 17);
  kernel(40, 50, 10);
  wait(45, 3);
  EXPECT_EQ(share({0}), 1);
  EXPECT_EQ(share({1}), 0) << "the second wait was over before";
}

TEST_F(CriticalWorkOf, WhatRanBesideOtherWorkCountsForTheTimeAlone) {
  kernel(0, 10, 40);
  kernel(1, 20, 10, 9);
  kernel(2, 50, 10);
  EXPECT_DOUBLE_EQ(share({0}), 0.75);
  EXPECT_EQ(share({1}), 0);
  EXPECT_DOUBLE_EQ(share({0, 1}), 0.6);
}

}  // namespace
}  // namespace frx::derive::layout
