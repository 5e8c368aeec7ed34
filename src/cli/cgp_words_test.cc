#include "cli/cgp_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/kernel_files.h"
#include "cli/run.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace cgp_words_test {  // files are compiled in groups
namespace {

std::string ours(std::vector<std::string> args, bool json = false) {
  const Result<std::vector<std::string>> words = words_for_cgp(args, json);
  return words ? join(*words, " ") : words.error().message + "; " + words.error().hint;
}

TEST(CgpWords, DocumentedCommandLinesAreThoseOfFrx) {
  EXPECT_EQ(ours({"profile", "kernel", "--name", "gemm", "--size", "512"}), "kernel profile --name gemm --size 512");
  EXPECT_EQ(ours({"roofline", "--target", "cuda"}, true), "kernel roofline --target cuda --json");
  EXPECT_EQ(ours({"diff", "--baseline", "a", "--current", "b"}), "kernel diff --baseline a --current b");
  EXPECT_EQ(ours({"contract", "verify", "--self"}), "kernel verify --self");
  EXPECT_EQ(ours({"contract", "generate", "--kernel", "k", "--size", "8"}), "kernel contract --kernel k --size 8");
  EXPECT_EQ(ours({"baseline"}), "kernel baseline");
  EXPECT_EQ(ours({"explain", "ptx", "--kernel", "k.ptx"}), "analyze k.ptx");
  EXPECT_EQ(ours({"profile", "kernel", "--name", "k", "--", "./app", "--json"}, true), "kernel profile --name k --json -- ./app --json");
}

TEST(CgpWords, WhatFrxDoesNotMeasureIsSaid) {
  for (const char* member : {"simd", "wasm", "quant", "scalar", "parallel", "wgpu", "metal", "library", "compare"})
    EXPECT_THAT(ours({"profile", member}), ::testing::HasSubstr("frx does not measure that")) << member;
  EXPECT_THAT(ours({"bench", "--bench", "x"}), ::testing::HasSubstr("cargo bench"));
  EXPECT_THAT(ours({"explain", "wgsl"}), ::testing::HasSubstr("does not measure"));
  EXPECT_THAT(ours({"tui"}), ::testing::HasSubstr("does not measure"));
  EXPECT_THAT(ours({"profil", "kernel"}), ::testing::HasSubstr("unknown command 'profil'"));
  EXPECT_THAT(ours({"diif"}), ::testing::HasSubstr("did you mean 'diff'?"));
}

// cgp D22: one core is not held against the bandwidth of all.
TEST(CgpWords, OptionsOfWhatFrxDoesNotMeasure) {
  EXPECT_THAT(ours({"roofline", "--target", "avx2", "--empirical"}),
              ::testing::HasSubstr("roofline --empirical: frx does not measure that"));
  EXPECT_THAT(ours({"diff", "--before", "main", "--after", "HEAD"}), ::testing::HasSubstr("diff --before: frx does not measure that"));
}

TEST(CgpWords, TheProgramOfThatNameSpeaksItsWords) {
  EXPECT_EQ(program_called_by("/usr/bin/cgp"), "cgp");
  EXPECT_EQ(program_called_by("/usr/bin/cgpx"), "frx");
  EXPECT_EQ(spelled("kernel profile", "cgp"), "cgp profile kernel");
  EXPECT_EQ(spelled("kernel profile", "frx"), "frx kernel profile");
  EXPECT_EQ(called(*command_named("kernel verify"), "cgp"), "cgp contract verify");
  TestIo test;
  test.io.program = "cgp";
  EXPECT_EQ(test.run({"profile", "kernel", "--help"}), 0);
  EXPECT_THAT(test.out(), ::testing::StartsWith("usage: cgp profile kernel [OPTIONS]"));
}

// cgp D16: the name of a kernel is no path
TEST(KernelFiles, NamesOfFilesAreNoPaths) {
  EXPECT_EQ(file_stem_for("gemm", {512, 512, 512}), "gemm-512x512x512");
  for (const char* name : {"../..", "/etc/passwd", "a/b", "..", ".", "", "-x", "k\xc3\xa9rnel", "a\nb"}) {
    const std::string stem = file_stem_for(name, {});
    EXPECT_EQ(stem.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"), stem.npos) << stem;
    EXPECT_TRUE(stem.starts_with("kernel_")) << stem;
  }
  EXPECT_NE(file_stem_for("a/b", {}), file_stem_for("a.b", {}));
  EXPECT_LE(file_stem_for(std::string(4096, 'x'), {512}).size(), 100u);
  EXPECT_NE(file_stem_for(std::string(4096, 'x'), {}), file_stem_for(std::string(4095, 'x'), {}));
}

}  // namespace
}  // namespace cgp_words_test
}  // namespace frx::cli
