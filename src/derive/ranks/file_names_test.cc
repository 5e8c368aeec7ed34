#include "derive/ranks/file_names.h"

#include <gtest/gtest.h>

namespace frx::derive::ranks {
namespace {

TEST(RankInName, IsTheNumberBehindRankOrWorker) {
  EXPECT_EQ(rank_in_name("run/trace.rank3.json.gz"), 3);
  EXPECT_EQ(rank_in_name("trace_rank-12.json"), 12);
  EXPECT_EQ(rank_in_name("Rank_7_step5.json"), 7);
  EXPECT_EQ(rank_in_name("worker0.1623143089861.pt.trace.json.gz"), 0);
  EXPECT_EQ(rank_in_name("rank4/rank5.json"), 5);
}

TEST(RankInName, IsNotGuessed) {
  EXPECT_FALSE(rank_in_name("trace.json"));
  EXPECT_FALSE(rank_in_name("trace3.json"));
  EXPECT_FALSE(rank_in_name("rank2/trace.json"));  // a folder may be named after anything
  EXPECT_FALSE(rank_in_name("resnet_num_workers_0.json"));
  EXPECT_FALSE(rank_in_name("rank99999999999999999999.json"));
}

TEST(RecordingInName, IsWhoWroteItAndWhen) {
  const std::optional<Recording> one = recording_in_name("log/host_4711.1730000000000000000.pt.trace.json.gz");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->worker, "host_4711");
  EXPECT_EQ(one->time, 1730000000000000000u);
  EXPECT_FALSE(recording_in_name("trace.json"));
  EXPECT_FALSE(recording_in_name("worker0.pt.trace.json"));
}

}  // namespace
}  // namespace frx::derive::ranks
