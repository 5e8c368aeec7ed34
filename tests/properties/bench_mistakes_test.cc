// The mistakes found in the reference's bench, one test each, with our right answer. H1 to H4 are the names of the review
// that found them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/fake_host.h"
#include "cli/test_io.h"
#include "report/bench_report.h"

namespace frx {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Commands on a machine without GPU, with the fake nvcc of tests/support.
struct BenchShop {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  capture::FakeHost host;
  std::string out, err;

  BenchShop() {
    const std::string ncu = capture::fake_ncu_folder();
    host.programs["nvcc"] = ncu.substr(0, ncu.rfind('/')) + "/fake_nvcc/nvcc";
  }
  std::string source(std::string_view name, const std::string& text) const {
    EXPECT_TRUE(write_file(folder.file(name), text));
    return folder.file(name);
  }
  int run(std::vector<std::string> arguments) {
    cli::TestIo io;
    io.io.host = &host;
    arguments.insert(arguments.begin(), "bench");
    const int code = cli::run(arguments, io.io);
    out = io.out();
    err = io.err();
    return code;
  }
};

// The reference called a program that prints a line and exits 13.58x as fast.
TEST(BenchMistakes, H1_AProgramThatComputesSomethingElseIsNotFaster) {
  BenchShop shop;
  const std::string right = shop.source("right.cu", "// fake nvcc: run sleep 0.02\n// fake nvcc: run echo \"FRX_CHECKSUM: 42\"\n");
  const std::string wrong = shop.source("wrong.cu", "// fake nvcc: run echo \"FRX_CHECKSUM: 0\"\n");
  EXPECT_EQ(shop.run({right, wrong, "--json"}), 1);
  const json answer = json::parse(shop.out);
  EXPECT_EQ(answer["verdict"]["answer"], "cannot_tell");
  EXPECT_EQ(answer["outputs"]["result"], "differ");
  // Where it cannot be known, the report says that it was not checked.
  EXPECT_EQ(shop.run({right, shop.source("silent.cu", "// fake nvcc: run echo \"done\"\n")}), 0);
  EXPECT_THAT(shop.out, HasSubstr("was not checked"));
}

// Two runs of one program are 0.97 to 1.02 of each other; a verdict needs more than that.
TEST(BenchMistakes, H2_TheSameProgramIsNeitherBetterNorWorse) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> times(std::log(130.0), 0.03);
  int alarms = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    model::Bench bench;
    for (model::BenchSide* side : {&bench.before, &bench.after}) {
      for (int i = 0; i < 5; ++i) {
        model::BenchRun run;
        run.wall_ms = times(random);
        side->runs.push_back(run);
      }
    }
    alarms += report::judge_bench(bench).answer != derive::compare::Answer::cannot_tell;
  }
  EXPECT_LE(alarms, trials / 100);
}

TEST(BenchMistakes, H3_NonsenseInTheCommandLineIsNamed) {
  BenchShop shop;
  const std::string source = shop.source("a.cu", "// fake nvcc: run echo \"done\"\n");
  EXPECT_EQ(shop.run({source, source, "--runs", "0"}), 2);
  EXPECT_THAT(shop.err, HasSubstr("expected 1 to 10000 as --runs, found 0"));
  EXPECT_EQ(shop.run({source, source, "--gpu-model", "Voodoo"}), 2);
  EXPECT_THAT(shop.err, HasSubstr("no GPU is known by 'Voodoo'"));
  EXPECT_EQ(shop.run({source, shop.folder.file("none.cu")}), 1);
  EXPECT_EQ(shop.run({source}), 2);
}

TEST(BenchMistakes, H3_ProgramsThatDoNotEndAreEnded) {
  BenchShop shop;
  const std::string source = shop.source("a.cu", "// fake nvcc: run echo \"done\"\n");
  EXPECT_EQ(shop.run({source, shop.source("hang.cu", "// fake nvcc: run sleep 60\n"), "--time-limit", "0.3", "--runs", "1"}), 1);
  EXPECT_THAT(shop.out, HasSubstr("no end within 0.3 s"));
}

// The reference split them at blanks.
TEST(BenchMistakes, H3_ABuildFlagKeepsItsBlanks) {
  BenchShop shop;
  const std::string source = shop.source("a.cu", "// fake nvcc: run echo \"done\"\n"), log = shop.folder.file("log");
  ::setenv("FAKE_NVCC_RECORD", log.c_str(), 1);
  EXPECT_EQ(shop.run({source, source, "--runs", "1", "--build-flags", "-O1 -DTEXT='a b'", "--gpu-model", "H100"}), 0);
  ::unsetenv("FAKE_NVCC_RECORD");
  EXPECT_THAT(read_file(log).value_or(""), AllOf(HasSubstr(" -arch=sm_90 "), HasSubstr(" -O1 -DTEXT=a b ")));
}

// A median of launches one after the other is that of a warm cache.
TEST(BenchMistakes, H4_WarmAndColdTimesAreBothThere) {
  BenchShop shop;
  const std::string first =
      shop.source("a.cu", "// fake nvcc: run echo \"FRX_KERNEL_US: 10\"\n// fake nvcc: run echo \"FRX_KERNEL_COLD_US: 40\"\n");
  const std::string second =
      shop.source("b.cu", "// fake nvcc: run echo \"FRX_KERNEL_US: 5\"\n// fake nvcc: run echo \"FRX_KERNEL_COLD_US: 39\"\n");
  EXPECT_EQ(shop.run({first, second, "--json"}), 0);
  const json answer = json::parse(shop.out);
  EXPECT_EQ(answer["kernel_event"]["speedup_x"], 2.0);
  EXPECT_EQ(answer["kernel_event_cold"]["optimized_us"], 39.0);
}

}  // namespace
}  // namespace frx
