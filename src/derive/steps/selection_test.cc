#include "derive/steps/selection.h"

#include <gtest/gtest.h>

#include "derive/steps/testing.h"

namespace frx::derive::steps {
namespace {

using model::StepTable;
using testing::steps_of;

using Rows = std::vector<std::size_t>;

TEST(StepSelection, SkipsCompletedStepsOnly) {
  StepTable table = steps_of({10, 20, 30, 40});
  table.status[0] = "cancelled";
  EXPECT_EQ(completed_rows(table), (Rows{1, 2, 3}));
  EXPECT_EQ(completed_rows(table, 2), (Rows{3}));
  EXPECT_EQ(completed_rows(table, 3), Rows{});
}

TEST(StepSelection, TwoStepsWarmUpWhereThreeRemain) {
  const std::vector<StepTable> tables = {steps_of({1, 1}), steps_of({1, 1, 1, 1, 1})};
  EXPECT_EQ(warm_up_steps(tables), 2u);
  EXPECT_EQ(warm_up_steps({tables.data(), 1}), 0u);
  EXPECT_EQ(warm_up_steps({}), 0u);
}

TEST(StepSelection, TimesAreMeans) {
  StepTable table = steps_of({100, 200, 600});
  testing::set(table, model::HostTime::loader_before, {0, 50, 50});
  const std::optional<StepTimes> times = step_times(table, 1);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->steps, 2u);
  EXPECT_EQ(times->wall_ns, 400);
  EXPECT_EQ(times->total_ns, 450);
  EXPECT_EQ(times->longest_ns, 600);
  EXPECT_FALSE(step_times(table, 3));
  EXPECT_EQ(total_times(table, 1), (std::vector<double>{250, 650}));
}

TEST(StepSelection, ABatchIsCommonOnlyWhenAllStepsSayIt) {
  StepTable table = steps_of({1, 1, 1});
  EXPECT_FALSE(common_batch(table, 0));
  table.batch_size.set(1, 8);
  table.batch_size.set(2, 8);
  EXPECT_FALSE(common_batch(table, 0));
  EXPECT_EQ(common_batch(table, 1), 8);
}

}  // namespace
}  // namespace frx::derive::steps
