#include "capture/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/host.h"

namespace frx::capture {
namespace {

using namespace std::chrono_literals;

ChildCommand shell(std::string script) {
  ChildCommand command;
  command.argv = {"sh", "-c", std::move(script)};
  return command;
}

Exit run(const ChildCommand& command) {
  Result<Exit> exit = run_process(command);
  EXPECT_TRUE(exit) << to_string(exit.error());
  return exit ? *exit : Exit{};
}

TEST(Process, KeepsBothStreamsAndTheExitCode) {
  const Exit exit = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(exit.out, "out\n");
  EXPECT_EQ(exit.err, "err\n");
  EXPECT_EQ(exit.status, 3);
  EXPECT_FALSE(exit.ok());
  EXPECT_EQ(describe(exit), "exit code 3");
}

TEST(Process, PassesArgumentsAsTheyAre) {
  ChildCommand command;
  command.argv = {"printf", "%s|", "$HOME", "`id`", "a b", "*"};
  EXPECT_EQ(run(command).out, "$HOME|`id`|a b|*|");
}

TEST(Process, NamesTheSignalThatKilledIt) {
  const Exit exit = run(shell("kill -9 $$"));
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(exit.code(), 137);
}

TEST(Process, SaysWhyItCouldNotStart) {
  ChildCommand command;
  command.argv = {"/nonexistent/program"};
  const Result<Exit> exit = run_process(command);
  ASSERT_FALSE(exit);
  EXPECT_EQ(exit.error().kind, ErrorKind::environment);
  EXPECT_EQ(to_string(exit.error()), "/nonexistent/program: cannot run it: No such file or directory");
}

TEST(Process, AddsToTheEnvironmentAndChangesTheFolder) {
  ChildCommand command = shell("echo $FRX_X-$LC_ALL; pwd");
  command.environment = {{"FRX_X", "1"}, {"LC_ALL", "C"}};
  command.directory = "/";
  EXPECT_EQ(run(command).out, "1-C\n/\n");
}

TEST(Process, GivesNoInputUnlessAsked) { EXPECT_EQ(run(shell("cat; echo end")).out, "end\n"); }

TEST(Process, KeepsNoMoreThanTheLimitAndDoesNotBlock) {
  ChildCommand command = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo done >&2");
  command.keep_limit = 1000;
  const Exit exit = run(command);
  EXPECT_EQ(exit.out.size(), 1000u);
  EXPECT_TRUE(exit.out_cut);
  EXPECT_TRUE(exit.err_cut);
  EXPECT_EQ(exit.status, 0);
}

TEST(Process, TimeLimitEndsTheWholeGroup) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::make("/tmp");
  ASSERT_TRUE(folder);
  ChildCommand command = shell("(sleep 1.5; touch late) & sleep 60");
  command.directory = folder->path();
  command.time_limit = 100ms;
  const Exit exit = run(command);
  EXPECT_TRUE(exit.timed_out);
  EXPECT_LT(exit.took, 30s);
  EXPECT_EQ(describe(exit, command.time_limit), "no end within 0.1 s");
  std::this_thread::sleep_for(1700ms);
  EXPECT_FALSE(std::filesystem::exists(folder->file("late")));
}

TEST(Process, TimeLimitEndsWhatLeftTheGroup) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  ChildCommand command = shell("setsid sh -c 'echo $$ > " + folder.file("number") + "; exec sleep 100' & while :; do sleep 0.1; done");
  command.time_limit = 500ms;
  EXPECT_TRUE(run(command).timed_out);
  const std::string number = read_file(folder.file("number")).value_or("");
  if (number.empty()) GTEST_SKIP() << "the machine was too busy to start it in time";
  // Killed, it stays listed until the process that adopted it asks how it ended.
  const std::string status = read_file(fmt::format("/proc/{}/status", trim(number))).value_or("");
  EXPECT_TRUE(status.empty() || status.find("Z (zombie)") != status.npos) << status;
}

TEST(Process, KillsWhatIgnoresTheFirstWarning) {
  ChildCommand command = shell("trap '' TERM; while :; do sleep 0.1; done");
  command.time_limit = 1s;  // long enough for the shell to have set its trap, on a busy machine too
  const Exit exit = run(command);
  EXPECT_TRUE(exit.timed_out);
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST(Process, DoesNotWaitForABackgroundGrandchild) {
  const Exit exit = run(shell("sleep 20 & echo here"));
  EXPECT_EQ(exit.out, "here\n");
  EXPECT_LT(exit.took, 10s);
}

TEST(Process, PassesAnInterruptOn) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::thread later([&] {
    while (!std::filesystem::exists(folder.file("ready"))) std::this_thread::sleep_for(10ms);
    ::kill(::getpid(), SIGTERM);
  });
  ChildCommand command = shell("trap 'echo told; exit 5' TERM; touch ready; sleep 5 & wait");
  command.directory = folder.path();
  const Exit exit = run(command);
  later.join();
  EXPECT_EQ(exit.out, "told\n");
  EXPECT_EQ(exit.status, 5);
  EXPECT_EQ(exit.interrupted_by, SIGTERM);
}

TEST(Process, TheSecondInterruptKillsWhatIgnoresTheFirst) {
  const pid_t self = ::getpid();
  ChildCommand command;
  command.argv = {"/bin/sh", "-c", fmt::format("trap '' INT; kill -INT {0}; sleep 0.2; kill -INT {0}; sleep 30", self)};
  command.input = Input::nothing;
  const Exit exit = run_process(command).value();
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(exit.interrupted_by, SIGINT);
}

TEST(Process, LimitsTheMemoryOfWhatItRuns) {
  ChildCommand command = shell("ulimit -v; sh -c 'ulimit -v'");
  command.memory_limit = std::uint64_t{1} << 30;
  EXPECT_EQ(run(command).out, "1048576\n1048576\n");
  command.memory_limit = 0;
  EXPECT_NE(run(command).out, "1048576\n1048576\n");
}

TEST(FindProgram, LooksInPathThenElsewhere) {
  EXPECT_EQ(find_program("sh", "/nonexistent:/bin"), "/bin/sh");
  const std::vector<std::string> more = {"/bin"};
  EXPECT_EQ(find_program("sh", "/nonexistent", more), "/bin/sh");
  EXPECT_EQ(find_program("/bin/sh", ""), "/bin/sh");
  EXPECT_FALSE(find_program("no-such-program", "/bin:/usr/bin"));
  EXPECT_FALSE(find_program("etc", "/"));  // a folder
}

}  // namespace
}  // namespace frx::capture
