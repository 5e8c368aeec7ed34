#include "ingest/launch_table.h"

#include "frx_generated/metric_ids.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

class LaunchTableTest : public ::testing::Test {
 protected:
  static model::LaunchIdentity kernel(std::string name, std::uint32_t grid = 1) {
    model::LaunchIdentity launch;
    launch.kernel = std::move(name);
    launch.grid = model::Dim3{grid, 1, 1};
    return launch;
  }
  void set(model::Metric metric, double value) { table.set(table.column(metric), value, 1); }

  model::Session session;
  LaunchTable table{session, testing::catalogue()};
};

TEST_F(LaunchTableTest, FoldsEqualLaunchesIntoOneGroup) {
  for (int i = 1; i <= 3; ++i) {
    table.at_next(kernel("a"), 1);
    set(metrics::kernel_duration, 10.0 * i);
  }
  table.finish();
  ASSERT_EQ(session.kernels[0].groups.size(), 1u);
  const model::Spread* duration = testing::spread(session, "a", metrics::kernel_duration);
  EXPECT_EQ(duration->count, 3u);
  EXPECT_EQ(duration->sum, 60);
  EXPECT_EQ(duration->min, 10);
  EXPECT_EQ(duration->max, 30);
}

TEST_F(LaunchTableTest, ReturnsToALaunchByItsKey) {
  table.at("1", kernel("a"), 1);
  table.at("2", kernel("a"), 2);
  table.at("1", kernel("a"), 3);
  set(metrics::kernel_duration, 5);
  table.finish();
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(session.timed_launches, 1u);
}

TEST_F(LaunchTableTest, KeepsTheFirstReadingOfAMetric) {
  table.at_next(kernel("a"), 1);
  set(metrics::registers_per_thread, 32);
  set(metrics::registers_per_thread, 99);
  table.finish();
  EXPECT_EQ(testing::mean(session, "a", metrics::registers_per_thread), 32);
}

TEST_F(LaunchTableTest, SaysWhetherTheLaunchHasAReading) {
  table.at_next(kernel("a"), 1);
  set(metrics::registers_per_thread, 32);
  EXPECT_TRUE(table.has(table.column(metrics::registers_per_thread)));
  EXPECT_FALSE(table.has(table.column(metrics::kernel_duration)));
}

TEST_F(LaunchTableTest, CountsAnEntryAsManyLaunches) {
  table.at_next(kernel("a"), 1);
  table.set_count(7);
  set(metrics::kernel_duration, 3);
  table.finish();
  EXPECT_EQ(session.launches, 7u);
  EXPECT_EQ(session.timed_launches, 7u);
  EXPECT_EQ(testing::sum(session, "a", metrics::kernel_duration), 21);
}

TEST_F(LaunchTableTest, RemembersTheReadingOfTheLongestLaunch) {
  for (const double ns : {10.0, 90.0, 20.0}) {
    table.at_next(kernel("a"), 1);
    set(metrics::dram_throughput_pct, ns / 2);
    set(metrics::kernel_duration, ns);
  }
  table.finish();
  EXPECT_EQ(testing::spread(session, "a", metrics::dram_throughput_pct)->of_longest, 45);
}

TEST_F(LaunchTableTest, JoinsTheShapesBeyondItsLimit) {
  for (std::uint32_t grid = 1; grid <= 40; ++grid) {
    table.at_next(kernel("a", grid), 1);
    set(metrics::kernel_duration, 1);
  }
  table.finish();
  const std::vector<model::LaunchGroup>& groups = session.kernels[0].groups;
  EXPECT_EQ(session.kernels[0].launches(), 40u);
  EXPECT_LT(groups.size(), 40u);
  EXPECT_TRUE(groups.back().mixed);
  EXPECT_EQ(groups.back().grid, std::nullopt);
  EXPECT_FALSE(groups.front().mixed);
}

TEST_F(LaunchTableTest, MergesNothingByNameAlone) {
  table.at_next(kernel("a", 1), 1);
  table.at_next(kernel("a", 2), 2);
  table.at_next(kernel("b", 1), 3);
  table.finish();
  EXPECT_EQ(session.kernels.size(), 2u);
  EXPECT_EQ(session.kernels[0].groups.size(), 2u);
}

// More readings than the table keeps open.
constexpr int many_launches = 40000;
constexpr std::uint16_t many_metrics = 30;

class LargeLaunchTable : public LaunchTableTest {
 protected:
  LargeLaunchTable() {
    for (int i = 0; i < many_launches; ++i) {
      table.at(std::to_string(i), kernel("a"), 1);
      for (std::uint16_t metric = 0; metric < many_metrics; ++metric) set(model::Metric{metric}, 2);
    }
  }
};

TEST_F(LargeLaunchTable, LosesNothingWhenItFoldsEarly) {
  table.finish();
  EXPECT_EQ(session.launches, static_cast<std::uint64_t>(many_launches));
  EXPECT_EQ(testing::sum(session, "a", model::Metric{7}), 2.0 * many_launches);
  EXPECT_TRUE(session.notes.empty());
}

TEST_F(LargeLaunchTable, NotesALaunchThatComesBackTooLate) {
  table.at("0", kernel("a"), 77);
  table.finish();
  ASSERT_EQ(session.notes.size(), 1u);
  EXPECT_EQ(session.notes[0].line, 77u);
}

}  // namespace
}  // namespace frx::ingest
