#include "capture/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "capture/fake_host.h"

namespace frx::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

model::BenchRun read(std::string_view output) {
  model::BenchRun run;
  read_bench_output(output, run);
  return run;
}

TEST(BenchOutput, TimesOfSeveralKernelsAddUp) {
  const model::BenchRun run = read("hello\nFRX_KERNEL_US: 10.5\n  FRX_KERNEL_US: 2\r\nFRX_KERNEL_COLD_US: 30\n");
  EXPECT_EQ(run.kernel_us, 12.5);
  EXPECT_EQ(run.kernel_cold_us, 30);
}

TEST(BenchOutput, WhatIsNoTimeIsNone) {
  EXPECT_EQ(read("FRX_KERNEL_US: fast").kernel_us, std::nullopt);
  EXPECT_EQ(read("FRX_KERNEL_US: -3").kernel_us, std::nullopt);
  EXPECT_EQ(read("FRX_KERNEL_US: nan").kernel_us, std::nullopt);
  EXPECT_EQ(read("time FRX_KERNEL_US: 3").kernel_us, std::nullopt);  // in the middle of a line
  EXPECT_EQ(read("").kernel_us, std::nullopt);
}

TEST(BenchOutput, WordsOfAllChecksumsInOrder) {
  EXPECT_THAT(read("FRX_CHECKSUM: 1.5  ok\nFRX_CHECKSUM: 7").checksum, ElementsAre("1.5", "ok", "7"));
}

// A machine with the fake nvcc of tests/support.
struct Shop {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  FakeHost host;
  BenchRequest request;

  Shop() {
    const std::string here = fake_ncu_folder();
    host.programs["nvcc"] = here.substr(0, here.rfind('/')) + "/fake_nvcc/nvcc";
    request.before = folder.file("before.cu");
    request.after = folder.file("after.cu");
  }
  void write(const std::string& before, const std::string& after) const {
    ASSERT_TRUE(write_file(request.before, before));
    ASSERT_TRUE(write_file(request.after, after));
  }
  model::Bench measured() {
    Result<BenchPrograms> programs = build_bench(request, host);
    if (!programs) ADD_FAILURE() << to_string(programs.error());
    if (!programs) return {};
    EXPECT_TRUE(run_bench(request, host, programs->bench));
    return programs->bench;
  }
};

TEST(Bench, SidesTakeTurnsAndTheFirstOneChanges) {
  Shop shop;
  const std::string log = shop.folder.file("log");
  shop.write("// fake nvcc: run echo b >> " + log + "\n", "// fake nvcc: run echo a >> " + log + "\n");
  shop.request.runs = 3;
  shop.request.warmup = 1;
  const model::Bench bench = shop.measured();
  EXPECT_EQ(bench.before.run_error, "");
  EXPECT_EQ(read_file(log).value_or(""), "b\na\na\nb\nb\na\na\nb\n");
  EXPECT_THAT(bench.before.runs, SizeIs(3));  // the first round warms up
  EXPECT_THAT(bench.after.runs, SizeIs(3));
}

TEST(Bench, ASideThatFailsIsNotRunAgainAndTheOtherOneIs) {
  Shop shop;
  const std::string log = shop.folder.file("log");
  shop.write("// fake nvcc: run echo x >> " + log + "; echo out of memory >&2; exit 3\n", "// fake nvcc: run echo \"done\"\n");
  const model::Bench bench = shop.measured();
  EXPECT_EQ(read_file(log).value_or(""), "x\n");
  EXPECT_THAT(bench.before.run_error, HasSubstr("exit code 3: out of memory"));
  EXPECT_THAT(bench.before.runs, SizeIs(0));
  EXPECT_THAT(bench.after.runs, SizeIs(5));
}

TEST(Bench, AProgramThatHangsIsEndedWithAllItStarted) {
  Shop shop;
  const std::string log = shop.folder.file("log");
  shop.write("// fake nvcc: run (sleep 1; echo late >> " + log + ") & sleep 60\n", "// fake nvcc: run echo \"done\"\n");
  shop.request.time_limit = std::chrono::milliseconds(300);
  const model::Bench bench = shop.measured();
  EXPECT_THAT(bench.before.run_error, HasSubstr("no end within 0.3 s"));
  EXPECT_THAT(bench.after.runs, SizeIs(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_FALSE(std::filesystem::exists(log)) << "what it had started went on";
}

TEST(Bench, CompilerGetsArchitectureFlagsAndTheHeader) {
  Shop shop;
  const std::string log = shop.folder.file("arguments");
  ::setenv("FAKE_NVCC_RECORD", log.c_str(), 1);
  shop.write("// fake nvcc: run echo \"a\"\n", "// fake nvcc: run echo \"b\"\n");
  shop.request.architecture = "sm_90";
  shop.request.build_flags = {"-DSIZE=a b"};
  shop.measured();
  ::unsetenv("FAKE_NVCC_RECORD");
  const std::string arguments = read_file(log).value_or("");
  EXPECT_THAT(arguments, HasSubstr(" -arch=sm_90 "));
  EXPECT_THAT(arguments, HasSubstr(" -DSIZE=a b -I "));  // the header of frx comes last: a program may bring its own
  EXPECT_THAT(arguments, HasSubstr(" " + shop.request.before + "\n"));
}

TEST(Bench, NothingIsLeftBehindUnlessAsked) {
  Shop shop;
  shop.host.variables["TMPDIR"] = shop.folder.path();
  shop.write("// fake nvcc: run echo \"a\"\n", "// fake nvcc: error no\n");
  EXPECT_THAT(shop.measured().before.executable, StartsWith(shop.folder.path() + "/frx-"));
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shop.folder.path())) entries += entry.is_directory() ? 1 : 0;
  EXPECT_EQ(entries, 0u);
  shop.request.keep_in = shop.folder.file("kept");
  shop.measured();
  EXPECT_TRUE(std::filesystem::exists(shop.folder.file("kept/before")));
  EXPECT_FALSE(std::filesystem::exists(shop.folder.file("kept/after")));  // it did not compile
}

// Compilers write piece by piece.
TEST(Bench, ProgramsThatAreKeptAppearWhole) {
  Shop shop;
  const std::string log = shop.folder.file("arguments");
  shop.request.keep_in = shop.folder.file("kept");
  ASSERT_TRUE(write_file(shop.folder.file("kept/before"), "old"));
  shop.write("// fake nvcc: run echo \"a\"\n", "// fake nvcc: run echo \"b\"\n");
  ::setenv("FAKE_NVCC_RECORD", log.c_str(), 1);
  const model::Bench bench = shop.measured();
  ::unsetenv("FAKE_NVCC_RECORD");
  EXPECT_THAT(read_file(log).value_or(""), HasSubstr("-o " + shop.folder.file("kept/frx-")));
  EXPECT_EQ(bench.before.executable, shop.folder.file("kept/before"));
  EXPECT_THAT(bench.before.runs, SizeIs(5));
  EXPECT_EQ(read_file(shop.folder.file("kept/before")).value_or(""), "#!/bin/sh\necho \"a\"\n");
  const auto entries = std::filesystem::directory_iterator(shop.folder.file("kept"));
  EXPECT_EQ(std::distance(entries, std::filesystem::directory_iterator()), 2);
}

TEST(Bench, ASignalWhileItCompilesEndsIt) {
  Shop shop;
  shop.write("", "// fake nvcc: run echo b\n");
  Exit interrupted;
  interrupted.signal = interrupted.interrupted_by = SIGTERM;
  shop.host.answers[shop.host.programs["nvcc"] + " -lineinfo"] = interrupted;
  const Result<BenchPrograms> programs = build_bench(shop.request, shop.host);
  ASSERT_FALSE(programs);
  EXPECT_EQ(programs.error().message, "bench: stopped by a signal; nothing was judged");
}

TEST(Bench, HeaderIsTheOneOfTheRepository) {
  const std::string here = __FILE__;
  EXPECT_EQ(bench_header(), read_file(here.substr(0, here.rfind("/src/")) + "/include/frx/frx_bench.cuh").value_or(""));
}

}  // namespace
}  // namespace frx::capture
