#include "ingest/run_bundle/open_bundle.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "base/temporary_directory.h"
#include "ingest/run_bundle/testing.h"

namespace frx::ingest {
namespace {

using testing::TestMember;
using testing::zip_of;

TestMember member(std::string name, std::string content) {
  const auto crc = static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  return {.name = std::move(name), .content = std::move(content), .crc = crc};
}

Result<RunBundle> opened(const std::string& zip) { return RunBundle::open_zip("runs/upload.zip", random_access_to(zip)); }

std::string bundle_refusal(const std::string& zip) {
  const Result<RunBundle> run = opened(zip);
  return run ? "accepted" : to_string(run.error());
}

TEST(RunBundle, ReadsAnArchiveWithItsFolder) {
  const std::string zip =
      zip_of({member("run-1/raw/trace.jsonl", "{}\n"), member("run-1/metadata.json", "{}"), member("__MACOSX/._x", "")});
  const Result<RunBundle> run = opened(zip);
  ASSERT_TRUE(run) << to_string(run.error());
  EXPECT_EQ(run->name(), "run-1");
  ASSERT_EQ(run->members().size(), 2u);
  EXPECT_EQ(run->members()[0].path, "metadata.json");
  EXPECT_EQ(run->members()[1].bytes, 3u);
  EXPECT_EQ(run->read("raw/trace.jsonl").value_or("?"), "{}\n");
}

TEST(RunBundle, ReadsAnArchiveWithItsFilesAtTheRoot) {
  const std::string zip = zip_of({member("profiler/host.1.pt.trace.json.gz", "x"), member("gpu_metrics.csv", "")});
  const Result<RunBundle> run = opened(zip);
  ASSERT_TRUE(run) << to_string(run.error());
  EXPECT_EQ(run->name(), "upload");
  EXPECT_TRUE(run->has("gpu_metrics.csv"));
  EXPECT_FALSE(run->has("gpu_metrics"));
}

TEST(RunBundle, ReadsAFolder) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  ASSERT_TRUE(write_file(folder.file("run-2/derived/summary.json"), "{}"));
  ASSERT_TRUE(write_file(folder.file("run-2/optional_logs.txt"), "log"));
  for (const char* spelling : {"run-2", "run-2/", "./run-2/."}) {
    const Result<RunBundle> run = RunBundle::open(folder.file(spelling));
    ASSERT_TRUE(run) << to_string(run.error());
    EXPECT_EQ(run->name(), "run-2") << spelling;
    ASSERT_EQ(run->members().size(), 2u);
    EXPECT_EQ(run->members()[0].path, "derived/summary.json");
    EXPECT_EQ(run->read("optional_logs.txt").value_or("?"), "log");
  }
}

TEST(RunBundle, AFolderThatHoldsItselfIsNotEndless) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  ASSERT_TRUE(write_file(folder.file("metadata.json"), "{}"));
  std::filesystem::create_directory_symlink(folder.path(), folder.file("again"));
  const Result<RunBundle> run = RunBundle::open(folder.path());
  ASSERT_TRUE(run);
  EXPECT_EQ(run->members().size(), 1u);
}

TEST(RunBundle, SaysWhatItExpectedToFind) {
  const std::string none = bundle_refusal(zip_of({member("a/b", "")}));
  EXPECT_NE(none.find("runs/upload.zip: expected a run bundle"), std::string::npos) << none;
  EXPECT_NE(none.find("raw/trace.jsonl"), std::string::npos) << none;
  const std::string two = bundle_refusal(zip_of({member("a/manifest.json", ""), member("b/manifest.json", "")}));
  EXPECT_NE(two.find("found a/ and b/"), std::string::npos) << two;
  EXPECT_NE(bundle_refusal("no zip at all").find("runs/upload.zip: expected a zip archive"), std::string::npos);
  EXPECT_NE(bundle_refusal(zip_of({member("../metadata.json", "")})).find("leads out of it: '../metadata.json'"), std::string::npos);
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  EXPECT_FALSE(RunBundle::open(folder.path()));
  EXPECT_FALSE(RunBundle::open(folder.file("nothing")));
}

TEST(RunBundle, NamesTheMemberThatIsDamaged) {
  TestMember wrong = member("run-1/metadata.json", "{}");
  wrong.crc ^= 1;
  const std::string zip = zip_of({wrong});
  const Result<RunBundle> run = opened(zip);
  ASSERT_TRUE(run);
  const Result<std::string> text = run->read("metadata.json");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().where, "runs/upload.zip: run-1/metadata.json");
  EXPECT_FALSE(run->read("raw/trace.jsonl"));
}

TEST(RunBundle, ReadsNoMoreThanTheLimit) {
  const std::string zip = zip_of({member("metadata.json", std::string(2 << 20, 'x'))});
  const Result<RunBundle> run = opened(zip);
  ASSERT_TRUE(run);
  const Result<std::string> text = run->read("metadata.json", 1 << 20);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("at most 1 MB"), std::string::npos);
}

}  // namespace
}  // namespace frx::ingest
