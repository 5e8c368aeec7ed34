// Late ranks and nodes and slow links of made-up clusters are found, and nothing else; what is said of few ranks is the same from their
// traces and from their summaries. The same with ten thousand ranks: frx_fleet_validation, docs/validation/fleet.md.
#include <gtest/gtest.h>

#include <filesystem>

#include "analyse/answer.h"
#include "analyse/summaries.h"
#include "base/temporary_directory.h"
#include "render/render.h"
#include "support/corpus.h"
#include "support/fleet_score.h"

namespace frx {
namespace {

namespace fs = std::filesystem;

class Fleets : public ::testing::Test {
 protected:
  std::string folder(const std::string& name) {
    const std::string path = folder_.path() + "/" + name;
    fs::create_directories(path);
    return path;
  }

  std::shared_ptr<report::FleetReport> report_of(const testing::ClusterPlan& plan, testing::ClusterTruth& truth) {
    const Result<const report::TraceAnalyst*> analyst = context_.traces();
    const testing::MadeCluster cluster(plan);
    truth = cluster.truth();
    const std::string at = folder("fleet");
    EXPECT_TRUE(testing::write_summaries(cluster, **analyst, at, 16));
    std::vector<ingest::Source> sources;
    sources.push_back(ingest::Source::at(at));
    Result<std::vector<analyse::Input>> inputs = analyse::inputs_of(std::move(sources), (*context_.knowledge())->metrics);
    std::vector<std::string> notes;
    const auto entries = analyse::RankInputs(*inputs, context_).fleet(notes);
    if (!entries) ADD_FAILURE() << to_string(entries.error());
    Result<std::shared_ptr<report::FleetReport>> report = report::analyse_fleet(**analyst, "fleet", *entries, notes);
    if (!report) ADD_FAILURE() << to_string(report.error());
    return report ? *report : nullptr;
  }

  // Of all files in a folder, by a name that says nothing of them.
  std::string answer_of(const std::string& at, std::string_view format) {
    std::vector<fs::path> paths(fs::directory_iterator(at), fs::directory_iterator{});
    std::ranges::sort(paths);
    std::vector<ingest::Source> sources;
    for (const fs::path& path : paths) sources.push_back(ingest::Source::at(path.string()));
    analyse::Context context{analyse::Options{}};
    Result<std::vector<analyse::Input>> inputs = analyse::inputs_of(std::move(sources), (*context.knowledge())->metrics);
    for (analyse::Input& input : *inputs) input.folder = "run";
    const Result<analyse::Analysis> analysis = analyse::analyse(std::move(*inputs), context);
    if (!analysis) return to_string(analysis.error());
    std::string text;
    const answer::Answer answer = analyse::answer_of(*analysis);
    EXPECT_TRUE(render::render(answer, format, {100, false, answer::Detail::full}, [&](std::string_view part) { text += part; }));
    return text;
  }

  void summarise(const std::string& trace, const std::string& into) {
    const Result<std::vector<model::RankSummary>> ranks =
        analyse::summarise(analyse::input_of(ingest::Source::at(trace), (*context_.knowledge())->metrics), context_, "");
    ASSERT_TRUE(ranks) << to_string(ranks.error());
    ASSERT_TRUE(write_file(into + "/" + fs::path(trace).filename().string() + ".frxsum", ingest::rank_summary::packed(*ranks)));
  }

  // The trace of each rank, and its summary.
  void write(const testing::MadeCluster& cluster, const std::string& traces, const std::string& summaries) {
    for (int rank = 0; rank < cluster.ranks(); ++rank) {
      const std::string trace = traces + "/" + cluster.trace_name(rank);
      ASSERT_TRUE(write_file(trace, cluster.trace(rank)));
      summarise(trace, summaries);
    }
  }

  void expect_same_answers(const std::string& traces, const std::string& summaries) {
    for (const std::string_view format : {"text", "json", "markdown"}) {
      const std::string from_traces = answer_of(traces, format);
      EXPECT_GT(from_traces.size(), 1000u);
      EXPECT_EQ(from_traces, answer_of(summaries, format));
    }
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make(::testing::TempDir()).value();
  analyse::Context context_{analyse::Options{}};
};

TEST_F(Fleets, WhatWasPlantedIsFoundAndNothingElse) {
  const testing::ClusterPlan plan{.tensor = 8,
                                  .data = 8,
                                  .pipeline = 8,
                                  .steps = 26,
                                  .layers = 8,
                                  .seed = 11,
                                  .late_ranks = 4,
                                  .late_nodes = 2,
                                  .ranks_at_times = 4,
                                  .slow_nodes = 2,
                                  .slow_pairs = 2};
  testing::ClusterTruth truth;
  const auto report = report_of(plan, truth);
  ASSERT_TRUE(report);
  for (const testing::FleetCount& one : testing::score_of(*report, truth)) {
    EXPECT_EQ(one.found, one.planted) << one.what;
    EXPECT_EQ(one.named, one.planted) << one.what;
    EXPECT_EQ(one.false_names, 0u) << one.what;
  }
  EXPECT_EQ(report->fleet.together, report->fleet.collectives);
  EXPECT_NEAR(report->fleet.clocks.drift_ppm, 20, 20);
}

TEST_F(Fleets, OfAHealthyClusterNothingIsNamed) {
  testing::ClusterTruth truth;
  const auto report = report_of({.tensor = 8, .data = 8, .pipeline = 4, .steps = 40, .layers = 8, .seed = 5}, truth);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->fleet.enough_steps);
  for (const testing::FleetCount& one : testing::score_of(*report, truth)) EXPECT_EQ(one.named, 0u) << one.what;
}

TEST_F(Fleets, TooFewStepsAreSaid) {
  testing::ClusterTruth truth;
  const auto report = report_of({.tensor = 8, .data = 8, .pipeline = 2, .steps = 5, .layers = 4, .seed = 5, .late_ranks = 1}, truth);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->fleet.enough_steps);
  for (const testing::FleetCount& one : testing::score_of(*report, truth)) EXPECT_EQ(one.named, 0u) << one.what;
}

TEST_F(Fleets, SummariesSayWhatTracesSay) {
  const testing::MadeCluster cluster({.tensor = 4,
                                      .data = 4,
                                      .pipeline = 4,
                                      .steps = 12,
                                      .layers = 4,
                                      .seed = 3,
                                      .late_ranks = 1,
                                      .late_nodes = 1,
                                      .ranks_at_times = 1,
                                      .slow_pairs = 1});
  const std::string traces = folder("traces"), summaries = folder("summaries");
  write(cluster, traces, summaries);
  ASSERT_EQ(cluster.ranks(), 64);
  expect_same_answers(traces, summaries);
}

// Every set of traces of several ranks in the corpus.
TEST_F(Fleets, SummariesOfTheCorpusSayWhatItsTracesSay) {
  if (!testing::corpus()) GTEST_SKIP() << "no corpus";
  for (const std::string_view set : {"megatron_tp8_A100", "gaoteng_bert_fp16_ddp", "gaoteng_resnet50_noPred_ddp", "hta_sampled"}) {
    const std::string traces = folder(fmt::format("{}-traces", set)), summaries = folder(fmt::format("{}-summaries", set));
    for (const fs::directory_entry& file : fs::directory_iterator(*testing::corpus() / "torch")) {
      if (!file.path().filename().string().starts_with(fmt::format("{}.rank", set)) &&
          !file.path().filename().string().starts_with(fmt::format("{}_rank", set)))
        continue;
      const std::string trace = traces + "/" + file.path().filename().string();
      fs::create_symlink(file.path(), trace);
      summarise(trace, summaries);
    }
    expect_same_answers(traces, summaries);
  }
}

// What an earlier build wrote: a member that is added without a new version of the format is found here.
TEST_F(Fleets, AFileOfThisVersionThatWasKeptIsStillRead) {
  const std::string seed = FRX_REPOSITORY "/tests/fuzz/corpus/fuzz_rank_summary/two_ranks";
  const auto bytes = ingest::open_random_access(seed);
  ASSERT_TRUE(bytes);
  const auto file = ingest::rank_summary::SummaryFile::open(seed, *bytes);
  ASSERT_TRUE(file) << to_string(file.error());
  Interner words;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const auto summary = file->whole(rank);
    ASSERT_TRUE(summary) << to_string(summary.error());
    const auto recording = (*context_.traces())->analyse_rank(*summary, words);
    ASSERT_TRUE(recording) << to_string(recording.error());
    EXPECT_EQ(recording->report->kernels, 1u);
    EXPECT_EQ(recording->collectives.calls.size(), 1u);
  }
}

// Ranks in one file, in whichever order files were merged, are the same bytes and say what a file of each says.
TEST_F(Fleets, MergingDoesNotChangeTheAnswer) {
  const testing::MadeCluster cluster({.tensor = 2, .data = 4, .pipeline = 1, .steps = 8, .layers = 4, .seed = 3, .late_ranks = 1});
  const std::string summaries = folder("summaries"), merged = folder("merged");
  std::vector<ingest::rank_summary::SummaryFile> files;
  std::vector<std::string> kept;
  write(cluster, folder("traces"), summaries);
  for (int rank = 0; rank < cluster.ranks(); ++rank) kept.push_back(*read_file(summaries + "/" + cluster.trace_name(rank) + ".frxsum"));
  for (const std::string& bytes : kept) files.push_back(*ingest::rank_summary::SummaryFile::open("f", ingest::random_access_to(bytes)));
  const auto all = ingest::rank_summary::merged(files);
  const auto left = ingest::rank_summary::merged(std::span(files).first(3)),
             right = ingest::rank_summary::merged(std::span(files).subspan(2));
  const std::vector<ingest::rank_summary::SummaryFile> halves = {
      *ingest::rank_summary::SummaryFile::open("r", ingest::random_access_to(*right)),
      *ingest::rank_summary::SummaryFile::open("l", ingest::random_access_to(*left))};
  EXPECT_EQ(*all, *ingest::rank_summary::merged(halves));
  ASSERT_TRUE(write_file(merged + "/all.frxsum", *all));
  EXPECT_EQ(answer_of(summaries, "text"), answer_of(merged, "text"));
}

}  // namespace
}  // namespace frx
