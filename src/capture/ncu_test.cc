#include "capture/ncu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "capture/fake_host.h"
#include "capture/ncu_log.h"

namespace frx::capture {
namespace {

using testing::Test;

TEST(NcuCommand, SpellsTheOptionsBeforeTheApplication) {
  NcuRequest request;
  request.counters = {"a.sum", "b.avg"};
  request.kernel_filter = "gemm";
  request.launch_skip = 2;
  request.launch_count = 3;
  request.log_file = "out.csv";
  request.workload = {"./app", "--csv", "$HOME"};
  EXPECT_EQ(shell_line(ncu_command(request)),
            "ncu --csv --page raw --print-units base --log-file out.csv --target-processes all --metrics a.sum,b.avg "
            "--kernel-name gemm --launch-skip 2 --launch-count 3 ./app --csv '$HOME'");
}

TEST(NcuCommand, MarksRegularExpressions) {
  EXPECT_EQ(kernel_filter_argument("vector_add"), "vector_add");
  EXPECT_EQ(kernel_filter_argument(".*gemm.*"), "regex:.*gemm.*");
  EXPECT_EQ(kernel_filter_argument("^gemm"), "regex:^gemm");
  EXPECT_EQ(kernel_filter_argument("a|b"), "regex:a|b");
  EXPECT_EQ(kernel_filter_argument("regex:gemm"), "regex:gemm");
}

TEST(NcuLog, ReadsWhatStandsBesideTheTable) {
  const auto source = open_bytes(
      "==PROF== Connected to process 1 (/app)\n"
      "==ERROR== Failed to find metric regex:^sm__no_such\\.(sum|avg)$\r\n"
      "==ERROR== The application returned an error code (11).\n"
      "==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. add\n2. mul\nbye\n"
      "\"ID\",\"x\"\n\"\",\"ns\"\n\"0\",\"1\"\n");
  const Result<NcuLog> log = read_ncu_log(*source);
  ASSERT_TRUE(log);
  EXPECT_TRUE(log->has_table);
  EXPECT_TRUE(log->no_kernels);
  EXPECT_EQ(log->application_code, 11);
  EXPECT_EQ(log->available_kernels, (std::vector<std::string>{"add", "mul"}));
  ASSERT_EQ(log->unknown_counters.size(), 1u);
  EXPECT_TRUE(is_meant(log->unknown_counters[0], "sm__no_such"));
  EXPECT_TRUE(is_meant(log->unknown_counters[0], "sm__no_such.sum"));
  EXPECT_FALSE(is_meant(log->unknown_counters[0], "sm__no_such_other.sum"));
  EXPECT_FALSE(is_meant("regex:.*", "sm__no_such.sum"));
}

TEST(NcuLog, ARowOfUnitsIsNoTable) {
  const auto source = open_bytes("\"ID\",\"x\"\n\"\",\"ns\"\n");
  EXPECT_FALSE(read_ncu_log(*source)->has_table);
}

// Each test runs tests/support/fake_ncu.
class WithFakeNcu : public Test {
 protected:
  void SetUp() override {
    host.programs["ncu"] = fake_ncu_folder() + "/ncu";
    host.variables["TMPDIR"] = folder.path();
    ::setenv("FAKE_NCU_RECORD", folder.file("record").c_str(), 1);
    request.counters = {"gpu__time_duration.sum", "sm__new.avg"};
    request.workload = {"sh", "-c", "exit 0"};
  }
  void TearDown() override {
    for (const char* name : {"FAKE_NCU", "FAKE_NCU_UNKNOWN", "FAKE_NCU_RECORD"}) ::unsetenv(name);
  }
  std::string record() const { return read_file(folder.file("record")).value_or(""); }
  Error refused() const {
    const Result<NcuCapture> capture = profile_with_ncu(request, host);
    EXPECT_FALSE(capture);
    return capture ? Error{} : capture.error();
  }

  TemporaryDirectory folder = std::move(*TemporaryDirectory::make("/tmp"));
  FakeHost host;
  NcuRequest request;
};

TEST_F(WithFakeNcu, KeepsTheTableApartFromTheApplication) {
  const Result<NcuCapture> capture = profile_with_ncu(request, host);
  ASSERT_TRUE(capture) << to_string(capture.error());
  EXPECT_TRUE(capture->notes.empty());
  EXPECT_NE(read_file(capture->csv_path)->find("vector_add"), std::string::npos);
  EXPECT_EQ(record(), "sh|-c|exit 0|LC_ALL=C|csv=yes|gpu__time_duration.sum,sm__new.avg\n");
  ASSERT_TRUE(capture->save_as(folder.file("kept/profile.csv")));
  EXPECT_EQ(*read_file(folder.file("kept/profile.csv")), *read_file(capture->csv_path));
}

TEST_F(WithFakeNcu, AProfileThatIsReplacedIsSoAtOnce) {
  ASSERT_TRUE(write_file(folder.file("kept.csv"), "old"));
  std::filesystem::create_hard_link(folder.file("kept.csv"), folder.file("the-old-one"));
  const Result<NcuCapture> capture = profile_with_ncu(request, host);
  ASSERT_TRUE(capture && capture->save_as(folder.file("kept.csv")));
  EXPECT_EQ(read_file(folder.file("the-old-one")).value_or(""), "old");  // it was not written into
  EXPECT_EQ(*read_file(folder.file("kept.csv")), *read_file(capture->csv_path));
}

TEST_F(WithFakeNcu, AProfileThatIsCutHasWholeLinesAndSaysSo) {
  Result<NcuCapture> capture = profile_with_ncu(request, host);
  ASSERT_TRUE(capture);
  ASSERT_TRUE(write_file(capture->csv_path, "\"ID\",\"Kernel\"\n\"0\",\"k\"\n\"1\",\"ke"));
  capture->is_cut = true;
  ASSERT_TRUE(capture->save_as(folder.file("kept.csv")));
  EXPECT_EQ(*read_file(folder.file("kept.csv")),
            "\"ID\",\"Kernel\"\n\"0\",\"k\"\n==WARNING== Profiling was ended: later launches are missing.\n");
}

TEST_F(WithFakeNcu, AnApplicationThatFailsLateHasBeenProfiled) {
  request.workload = {"sh", "-c", "exit 9"};
  const Result<NcuCapture> capture = profile_with_ncu(request, host);
  ASSERT_TRUE(capture) << to_string(capture.error());
  EXPECT_EQ(capture->application_code, 9);
  ASSERT_EQ(capture->notes.size(), 1u);
  EXPECT_NE(capture->notes[0].find("exit code 9"), std::string::npos);
}

TEST_F(WithFakeNcu, LeavesOutExactlyTheUnknownCounterAndSaysSo) {
  ::setenv("FAKE_NCU_UNKNOWN", "sm__new.avg", 1);
  const Result<NcuCapture> capture = profile_with_ncu(request, host);
  ASSERT_TRUE(capture) << to_string(capture.error());
  ASSERT_EQ(capture->notes.size(), 1u);
  EXPECT_EQ(capture->notes[0], "this ncu and GPU do not offer, so not collected: sm__new.avg");
  EXPECT_TRUE(record().ends_with("csv=yes|gpu__time_duration.sum\n"));
}

TEST_F(WithFakeNcu, GivesUpWhenNothingIsLeftToCollect) {
  ::setenv("FAKE_NCU_UNKNOWN", "sm__new.avg,gpu__time_duration.sum", 1);
  EXPECT_NE(refused().message.find("does not know the counters"), std::string::npos);
}

TEST_F(WithFakeNcu, ExplainsTheMissingPermissionForThisPlace) {
  ::setenv("FAKE_NCU", "no_permission", 1);
  host.files["/proc/driver/nvidia/params"] = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n";
  const Error bare = refused();
  EXPECT_EQ(bare.kind, ErrorKind::environment);
  EXPECT_NE(bare.message.find("RmProfilingAdminOnly: 1"), std::string::npos);
  EXPECT_NE(bare.hint.find("options nvidia NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
  EXPECT_NE(bare.hint.find("update-initramfs"), std::string::npos);
  host.files["/.dockerenv"] = "";
  EXPECT_NE(refused().hint.find("--cap-add=SYS_ADMIN"), std::string::npos);
  host.files["/proc/version"] = "Linux version 5.15.0-microsoft-standard-WSL2";
  EXPECT_NE(refused().hint.find("Manage GPU Performance Counters"), std::string::npos);
}

TEST_F(WithFakeNcu, NamesTheKernelsTheFilterCouldHaveMatched) {
  ::setenv("FAKE_NCU", "no_kernels", 1);
  request.kernel_filter = "sgemm";
  EXPECT_EQ(refused().message, "no kernel matched 'sgemm'; it launched: vector_add, gemm");
  request.kernel_filter.clear();
  EXPECT_NE(refused().message.find("launched none"), std::string::npos);
}

TEST_F(WithFakeNcu, NamesTheApplicationWhenItFailedFirst) {
  ::setenv("FAKE_NCU", "app_fails_first", 1);
  request.workload = {"sh", "-c", "exit 4"};
  const Error error = refused();
  EXPECT_NE(error.message.find("exit code 4 before a kernel"), std::string::npos);
  EXPECT_EQ(error.hint, "run it alone first: sh -c 'exit 4'");
}

TEST_F(WithFakeNcu, ReportsACrashOfNcu) {
  ::setenv("FAKE_NCU", "crash", 1);
  EXPECT_EQ(refused().message, "ncu wrote no profile: exit code 3");
}

TEST_F(WithFakeNcu, LeavesNoFilesBehind) {
  { const Result<NcuCapture> capture = profile_with_ncu(request, host); }
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++entries;
  EXPECT_EQ(entries, 1u);  // the record
}

TEST(Ncu, WithoutItThereIsAWayAround) {
  NcuRequest request;
  request.workload = {"./app"};
  const Result<NcuCapture> capture = profile_with_ncu(request, FakeHost());
  ASSERT_FALSE(capture);
  EXPECT_EQ(capture.error().kind, ErrorKind::environment);
  EXPECT_NE(capture.error().hint.find("--log-file profile.csv"), std::string::npos);
  EXPECT_NE(capture.error().hint.find("frx profile --ncu profile.csv"), std::string::npos);
}

TEST(Ncu, NeedsAnApplication) { EXPECT_EQ(profile_with_ncu({}, FakeHost()).error().kind, ErrorKind::usage); }

}  // namespace
}  // namespace frx::capture
