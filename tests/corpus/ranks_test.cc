// The ranks of distributed runs in the corpus: which of them is late is what its manifest says.
#include <gtest/gtest.h>

#include "report/ranks_analyst.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

using derive::ranks::LateVerdict;
using report::RanksReport;

class CorpusRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    FRX_NEEDS_CORPUS();
    analyst_ = report::TraceAnalyst::create("").value();
  }

  std::unique_ptr<RanksReport> report_on(const std::vector<std::string>& names) {
    std::vector<report::TraceFile> files;
    for (const std::string& name : names) {
      files.push_back(report::trace_file(name, [path = (*testing::corpus() / "torch" / name).string()] { return open_file(path); }));
    }
    Result<std::unique_ptr<RanksReport>> report = report::analyse_ranks(*analyst_, "corpus", files);
    if (!report) ADD_FAILURE() << to_string(report.error());
    return report ? std::move(*report) : nullptr;
  }

  std::unique_ptr<report::TraceAnalyst> analyst_;
};

// "NCCL exposed 40% on ranks 0 and 6 vs 66-78% on the others: ranks 0 and 6 are the stragglers the rest wait for".
TEST_F(CorpusRanks, MegatronWaitsForRanks0And6) {
  std::vector<std::string> names;
  for (int rank = 7; rank >= 0; --rank) names.push_back(fmt::format("megatron_tp8_A100.rank{}.json", rank));
  const auto run = report_on(names);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->lateness.verdict, LateVerdict::late);
  EXPECT_EQ(run->lateness.late, (std::vector<std::size_t>{0, 6}));
  EXPECT_EQ(run->matching.collectives.size(), 84u);
  EXPECT_EQ(run->matching.together, 84u);
  EXPECT_TRUE(run->missing.empty());
  // Alone each rank sees communication; what makes rank 0 late is its own CPU.
  EXPECT_EQ(run->opinions.size(), 1u);
  EXPECT_EQ(run->scope.diagnosis.user_facing, "host_bound");
}

// "straggler: device 5 has 2.6% NCCL vs 33-46% on devices 2-4", all in one file; rank 3 has device 5.
TEST_F(CorpusRanks, TheMergedFileWaitsForItsRank3) {
  const auto run = report_on({"amd_fused_4rank_MI300_merged.140MB.json.gz"});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->ranks.size(), 4u);
  EXPECT_EQ(run->ranks[3].trace->gpus.front().device, 5);
  EXPECT_EQ(run->lateness.verdict, LateVerdict::late);
  EXPECT_EQ(run->lateness.late, (std::vector<std::size_t>{3}));
  // Six broadcasts, from which the root goes away early.
  EXPECT_EQ(run->matching.collectives.size(), 21u);
  EXPECT_EQ(run->matching.together, 15u);
  EXPECT_EQ(run->scope.diagnosis.user_facing, "launch_bound");
}

// "communication bound" on both ranks, which spend equally long on it.
TEST_F(CorpusRanks, TheRanksOfBertAreEquallyFast) {
  const auto run = report_on({"gaoteng_bert_fp16_ddp.rank0.pt.trace.json.gz", "gaoteng_bert_fp16_ddp.rank1.pt.trace.json.gz"});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->lateness.verdict, LateVerdict::little_waiting);
  EXPECT_EQ(run->scope.diagnosis.user_facing, "communication_bound");
}

// "data loading 82% of step" on both: now the one is later, now the other.
TEST_F(CorpusRanks, TheRanksOfResnetTakeTurns) {
  const auto run = report_on({"gaoteng_resnet50_noPred_ddp.rank0.pt.trace.json.gz", "gaoteng_resnet50_noPred_ddp.rank1.pt.trace.json.gz"});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->lateness.verdict, LateVerdict::no_single_rank);
  EXPECT_EQ(run->scope.diagnosis.user_facing, "input_bound");
}

// Two of 128 ranks with events dropped: equal names in equal order that are not the same collectives.
TEST_F(CorpusRanks, OfASampledRunNothingIsClaimed) {
  const auto run = report_on({"hta_sampled_rank0.json.gz", "hta_sampled_rank1.json.gz"});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->lateness.verdict, LateVerdict::not_together);
  EXPECT_EQ(run->missing, (std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 127}}));
}

// "rank 1 waits 11 ms in NCCL", once.
TEST_F(CorpusRanks, OneCollectiveMakesNoLateRank) {
  const auto run = report_on({"tugot_toy_tp2_4090.rank0.json", "tugot_toy_tp2_4090.rank1.json"});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->lateness.verdict, LateVerdict::chance);
  EXPECT_NEAR(run->lateness.ranks[1].waited_ns, 11'257'218, 1);
  EXPECT_TRUE(run->ranks[0].collectives.described);
}

// One rank of two.
TEST_F(CorpusRanks, OneRankAloneSaysThatOthersAreMissing) {
  const auto run = report_on({"tugot_llama_tp2_dim1024_4090.rank0.json"});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->ranks.size(), 1u);
  EXPECT_EQ(run->missing, (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}}));
}

}  // namespace
}  // namespace frx::corpus
