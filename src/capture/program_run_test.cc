#include "capture/program_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/fake_host.h"
#include "capture/nsys.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A folder with programs of a test; "nsys" is the stand-in of tests/support.
struct Bench {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();

  std::string program(const std::string& name, const std::string& script) const {
    const std::string path = folder.file(name);
    EXPECT_TRUE(write_file(path, "#!/bin/sh\n" + script));
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  model::TimedCommand command(const std::string& name, const std::string& script) const {
    model::TimedCommand command;
    command.argv = {program(name, script)};
    return command;
  }
  static std::string nsys() {
    const std::string here = fake_ncu_folder();
    return here.substr(0, here.rfind('/')) + "/fake_nsys/nsys";
  }
};

// Not reaped processes do not count: they run no more.
bool is_running(pid_t pid) {
  const Result<std::string> status = read_file(fmt::format("/proc/{}/status", pid), 1 << 16);
  return status && status->find("State:\tZ") == status->npos;
}

// The processes whose numbers the program wrote into files of `folder`, until none of them runs or five seconds are over.
std::size_t still_running(const std::string& folder) {
  std::size_t running = 0;
  for (int tries = 0; tries < 500; ++tries) {
    running = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      running += is_running(static_cast<pid_t>(std::stol(read_file(entry.path().string()).value())));
    if (running == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return running;
}

// Starts children: one in its group, one that is deaf, one in a session of its own; and waits for ever.
std::string family(const std::string& pids) {
  return "sleep 300 & echo $! > " + pids + "/plain\nsh -c 'trap \"\" TERM INT HUP; echo $$ > " + pids +
         "/deaf; exec sleep 300' &\nsetsid sh -c 'echo $$ > " + pids + "/session; exec sleep 300' &\nwhile [ ! -s " + pids +
         "/session ] || [ ! -s " + pids + "/deaf ]; do sleep 0.01; done\n: > " + pids + "/../ready\nwait\n";
}

TEST(ProgramRun, CommandsTakeTurnsAndAnotherOneBeginsEachRound) {
  const Bench bench;
  const std::string log = bench.folder.file("log");
  std::vector<model::TimedCommand> commands = {bench.command("a", "echo a >> " + log), bench.command("b", "echo b >> " + log),
                                               bench.command("c", "echo c >> " + log)};
  ASSERT_TRUE(run_in_turn(commands, {}, {2, 1, false}, this_machine()));
  EXPECT_EQ(read_file(log).value(), "a\nb\nc\nb\nc\na\nc\na\nb\n");
  for (const model::TimedCommand& command : commands) EXPECT_THAT(command.runs_ms, SizeIs(2));
}

// cgp R20
TEST(ProgramRun, OneThatFailsIsNotRunAgainAndSaysWhy) {
  const Bench bench;
  const std::string log = bench.folder.file("log");
  std::vector<model::TimedCommand> commands = {bench.command("a", "echo x >> " + log + "\necho one >&2; echo the reason >&2; exit 3"),
                                               bench.command("b", "exit 0")};
  ASSERT_TRUE(run_in_turn(commands, {}, {5, 1, false}, this_machine()));
  EXPECT_EQ(read_file(log).value(), "x\n");
  EXPECT_EQ(commands[0].failure, "exit code 3: the reason");
  EXPECT_EQ(commands[0].exit_code, 3);
  EXPECT_THAT(commands[0].runs_ms, SizeIs(0));
  EXPECT_THAT(commands[1].runs_ms, SizeIs(5));
}

// cgp R9
TEST(ProgramRun, EndsAfterItsTimeWithAllThatItStarted) {
  const Bench bench;
  const std::string pids = bench.folder.file("pids");
  fs::create_directories(pids);
  std::vector<model::TimedCommand> commands = {bench.command("hangs", family(pids))};
  ProgramRun common;
  common.time_limit = std::chrono::seconds(2);
  ASSERT_TRUE(run_in_turn(commands, common, {1, 0, false}, this_machine()));
  EXPECT_THAT(commands[0].failure, HasSubstr("no end within 2 s"));
  EXPECT_EQ(commands[0].exit_code, std::nullopt);
  ASSERT_TRUE(fs::exists(pids + "/session"));
  EXPECT_EQ(still_running(pids), 0u);
}

TEST(ProgramRun, GetsItsVariablesAndItsFolder) {
  const Bench bench;
  std::vector<model::TimedCommand> commands = {bench.command("a", "echo \"$COLOUR $PWD\" > out")};
  ProgramRun common;
  common.environment = {{"COLOUR", "deep red"}};
  common.directory = bench.folder.path();
  ASSERT_TRUE(run_in_turn(commands, common, {1, 0, false}, this_machine()));
  EXPECT_EQ(read_file(bench.folder.file("out")).value(), "deep red " + fs::canonical(bench.folder.path()).string() + "\n");
}

TEST(FindUserProgram, SaysWhatIsThereInstead) {
  const Bench bench;
  ASSERT_TRUE(write_file(bench.folder.file("text"), "x"));
  const std::string program = bench.program("a program", "exit 0");
  EXPECT_EQ(find_user_program(program, this_machine()).value(), program);
  EXPECT_THAT(find_user_program("sh", this_machine()).value(), StartsWith("/"));
  EXPECT_EQ(find_user_program(bench.folder.file("text"), this_machine()).error().message, "not executable");
  EXPECT_EQ(find_user_program(bench.folder.path(), this_machine()).error().message, "a folder, not a program");
  EXPECT_EQ(find_user_program(bench.folder.file("none"), this_machine()).error().message, "there is no such program");
  EXPECT_EQ(find_user_program("", this_machine()).error().kind, ErrorKind::usage);
}

// cgp D16: what nsys writes has the name it was told, and no text of the user becomes a part of it. cgp D18: its exit code is that of the
// program.
TEST(RecordWithNsys, KeepsTheReportAndTheExitCode) {
  const Bench bench;
  NsysRequest request;
  request.program.argv = {bench.program("a 'quoted' $(name)", "exit 9"), "--output", "../../etc"};
  request.output = bench.folder.file("recording");
  const Result<NsysRun> run = record_with_nsys(Bench::nsys(), request, this_machine());
  ASSERT_TRUE(run) << to_string(run.error());
  EXPECT_EQ(run->report, request.output + ".nsys-rep");
  EXPECT_TRUE(fs::exists(run->report));
  EXPECT_EQ(run->code, 9);
}

// cgp D18
TEST(RecordWithNsys, WithoutAReportItIsAnErrorOfTheTool) {
  const Bench bench;
  NsysRequest request;
  request.program.argv = {bench.program("a", "exit 0")};
  request.program.environment = {{"FAKE_NSYS", "no-report"}};
  request.output = bench.folder.file("recording");
  const Result<NsysRun> run = record_with_nsys(Bench::nsys(), request, this_machine());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::environment);
}

TEST(RecordWithNsys, EndsAfterItsTimeWithAllThatTheProgramStarted) {
  const Bench bench;
  const std::string pids = bench.folder.file("pids");
  fs::create_directories(pids);
  NsysRequest request;
  request.program.argv = {bench.program("hangs", family(pids))};
  request.program.time_limit = std::chrono::seconds(2);
  request.output = bench.folder.file("recording");
  const Result<NsysRun> run = record_with_nsys(Bench::nsys(), request, this_machine());
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("no end within 2 s"));
  ASSERT_TRUE(fs::exists(pids + "/session"));
  EXPECT_EQ(still_running(pids), 0u);
}

TEST(RecordWithNsys, CtrlCEndsAllOfIt) {
  const Bench bench;
  const std::string pids = bench.folder.file("pids");
  fs::create_directories(pids);
  NsysRequest request;
  request.program.argv = {bench.program("hangs", family(pids))};
  request.output = bench.folder.file("recording");
  std::thread presses([&] {
    for (int tries = 0; tries < 2000 && !fs::exists(bench.folder.file("ready")); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(::getpid(), SIGINT);  // which is for the child while one runs
  });
  const Result<NsysRun> run = record_with_nsys(Bench::nsys(), request, this_machine());
  presses.join();
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("stopped by a signal"));
  EXPECT_EQ(still_running(pids), 0u);
}

// cgp R8
TEST(RecordCommand, AsksForAReportAndForNoTable) {
  NsysRequest request{{{"./app", "a b"}, {}, {}, {}}, "cuda,nvtx,osrt", 5, "/x/recording"};
  EXPECT_THAT(record_command("nsys", request),
              ElementsAre("nsys", "profile", "--trace=cuda,nvtx,osrt", "--cuda-graph-trace=node", "--sample=none", "--cpuctxsw=none",
                          "--duration", "5", "--output", "/x/recording", "--force-overwrite", "true", "./app", "a b"));
}

}  // namespace
}  // namespace frx::capture
