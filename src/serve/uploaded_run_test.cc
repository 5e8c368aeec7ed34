#include "serve/uploaded_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"

namespace frx::serve {
namespace {

http::Part part(std::string filename, std::string bytes) {
  http::Part part{.field = "files", .filename = std::move(filename), .content_type = "", .bytes = std::move(bytes), .path = ""};
  part.size = part.bytes.size();
  return part;
}

TEST(RunMember, IsKnownByItsPathOrItsName) {
  EXPECT_EQ(run_member("runs/a/derived/summary.json"), (RunMember{"runs/a", "derived/summary.json"}));
  EXPECT_EQ(run_member("derived\\summary.json"), (RunMember{"", "derived/summary.json"}));
  EXPECT_EQ(run_member("summary.json"), (RunMember{"", "derived/summary.json"}));
  EXPECT_EQ(run_member("a/trace.jsonl"), (RunMember{"a", "raw/trace.jsonl"}));
  EXPECT_EQ(run_member("a/profiler/rank0.pt.trace.json.gz"), (RunMember{"a", "profiler/rank0.pt.trace.json.gz"}));
  EXPECT_EQ(run_member("a/metadata.json"), (RunMember{"a", "metadata.json"}));
  EXPECT_EQ(run_member("kernel.cu"), std::nullopt);
  EXPECT_EQ(run_member("my_summary.json"), std::nullopt);
}

TEST(RunMember, NeverLeadsOutOfItsFolder) {
  for (const char* name :
       {"../summary.json", "/derived/summary.json", "a/../derived/summary.json", "a//summary.json", "..\\summary.json", "", "."})
    EXPECT_EQ(run_member(name), std::nullopt) << name;
}

TEST(ScoreOfRun, ASummaryIsWorthMoreThanEverythingElse) {
  const RunMember summary[] = {{"", "derived/summary.json"}};
  const RunMember rest[] = {{"", "raw/trace.jsonl"}, {"", "profiler/profiler_trace.json"},
                            {"", "gpu_metrics.csv"}, {"", "metadata.json"},
                            {"", "manifest.json"},   {"", "run_config.yaml"}};
  EXPECT_EQ(score_of_run(summary), 120);
  EXPECT_LT(score_of_run(rest), 120);
  EXPECT_GT(score_of_run(std::span(rest).first(1)), score_of_run(std::span(rest).subspan(1)));
}

TEST(UploadedRun, IsTheOneWithTheBestFiles) {
  const http::Part parts[] = {part("b/raw/trace.jsonl", "of b"), part("a/summary.json", "{}"), part("a/gpu_metrics.csv", "timestamp"),
                              part("notes.txt", "x")};
  std::string folder;
  {
    const std::optional<UploadedRun> run = uploaded_run(parts).value();
    ASSERT_TRUE(run);
    folder = run->folder.path();
    EXPECT_EQ(run->path, folder + "/a");
    EXPECT_EQ(read_file(run->path + "/derived/summary.json").value(), "{}");
    EXPECT_EQ(read_file(run->path + "/gpu_metrics.csv").value(), "timestamp");
    EXPECT_EQ(run->parts, (std::vector<std::size_t>{0, 1, 2}));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(UploadedRun, NeedsASummaryOrARawTrace) {
  const http::Part parts[] = {part("profiler/rank0.json", "{}"), part("profiler/rank1.json", "{}"), part("metadata.json", "{}")};
  EXPECT_FALSE(uploaded_run(parts).value());
}

}  // namespace
}  // namespace frx::serve
