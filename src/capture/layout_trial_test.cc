#include "capture/layout_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/fake_host.h"

namespace frx::capture {
namespace {

// A program that writes down what it was told, and ends with the code that its folder's name decides.
LayoutTrialRequest request_in(const TemporaryDirectory& folder, const std::string& script) {
  LayoutTrialRequest request;
  request.baseline = request.candidate = {"/bin/sh", "-c", script};
  request.plan = "plan.json";
  request.folder = folder.path();
  request.windows = 7;
  request.warmup = 2;
  request.seed = 11;
  request.time_limit = std::chrono::seconds(20);
  return request;
}

TEST(LayoutTrialRuns, SidesTakeTurns) {
  EXPECT_THAT(trial_order(2), ::testing::ElementsAre(false, true, true, false));
  EXPECT_THAT(trial_order(3), ::testing::ElementsAre(false, true, true, false, false, true));
}

TEST(LayoutTrialRuns, OnlyThePlanDiffersAndTheProfiledRunsAreTheLast) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const FakeHost host;
  const LayoutTrialRequest request = request_in(
      folder,
      "echo \"$FRX_LAYOUT_PLAN,$FRX_LAYOUT_TRIAL_PROFILE,$FRX_LAYOUT_TRIAL_SEED,$FRX_LAYOUT_TRIAL_WINDOWS,$FRX_LAYOUT_TRIAL_WARMUP\" > "
      "\"$FRX_LAYOUT_TRIAL_OUT/told\"");
  const std::vector<LayoutTrialRun> runs = run_layout_trial(request, host).value();
  std::vector<std::string> told;
  for (const LayoutTrialRun& run : runs) told.push_back(read_file(run.folder + "/told").value());
  EXPECT_THAT(told, ::testing::ElementsAre(",0,11,7,2\n", "plan.json,0,11,7,2\n", "plan.json,0,11,7,2\n", ",0,11,7,2\n", ",1,11,7,2\n",
                                           "plan.json,1,11,7,2\n"));
  EXPECT_TRUE(runs.back().is_candidate && runs.back().is_profiled);
}

TEST(LayoutTrialRuns, AFailureIsTheLastRun) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const FakeHost host;
  const LayoutTrialRequest request = request_in(folder, "[ -z \"$FRX_LAYOUT_PLAN\" ] || { echo 'CUDA out of memory.' >&2; exit 1; }");
  const std::vector<LayoutTrialRun> runs = run_layout_trial(request, host).value();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].failure, "out of memory, exit code 1: CUDA out of memory.");
}

TEST(LayoutTrialRuns, ARunThatDoesNotEndInTimeIsEnded) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const FakeHost host;
  LayoutTrialRequest request = request_in(folder, "[ -z \"$FRX_LAYOUT_PLAN\" ] || sleep 30");
  request.time_limit = std::chrono::milliseconds(400);
  const std::vector<LayoutTrialRun> runs = run_layout_trial(request, host).value();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_THAT(runs[1].failure, ::testing::HasSubstr("no end within 0.4 s"));
}

}  // namespace
}  // namespace frx::capture
