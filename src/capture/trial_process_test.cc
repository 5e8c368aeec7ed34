#include "capture/trial_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"

namespace frx::capture {
namespace {

using namespace std::chrono_literals;

// A shell script that runs in a folder; its streams are "out" and "err" there.
struct ShellTrial {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  TrialProcess process;

  explicit ShellTrial(const std::string& script) {
    process.argv = {"sh", "-c", "cd " + folder.path() + "\n" + script};
    process.out_path = folder.file("out");
    process.err_path = folder.file("err");
    process.folder = folder.path();
  }
  TrialEnd run() const {
    const Result<TrialEnd> end = run_trial(process);
    EXPECT_TRUE(end) << to_string(end.error());
    return end ? *end : TrialEnd{};
  }
  std::string text(std::string_view name) const { return read_file(folder.file(name)).value_or("(no file)"); }
  // Whether the process whose number the file holds is gone. run_trial waits for that.
  bool is_gone(std::string_view name) const { return ::kill(std::stoi(text(name)), 0) != 0; }
};

TEST(TrialProcess, KeepsWhatIsPrintedAndTheExitCode) {
  ShellTrial trial("echo out $GREETING; echo err >&2; cat; exit 3");
  trial.process.environment = {{"GREETING", "hello"}};
  const TrialEnd end = trial.run();
  EXPECT_EQ(end.code(), 3);
  EXPECT_EQ(trial.text("out"), "out hello\n");
  EXPECT_EQ(trial.text("err"), "err\n");
  EXPECT_EQ(end.output_bytes, 14U);
  EXPECT_EQ(end.left_running, 0U);
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(end.stopped + end.contained, "");
  EXPECT_TRUE(end.notes.empty());
  EXPECT_GT(end.took, 0ns);
  EXPECT_LT(end.took, 5s);
}

TEST(TrialProcess, SaysWhatEndedIt) {
  const TrialEnd end = ShellTrial("kill -SEGV $$").run();
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.code(), 128 + SIGSEGV);
}

TEST(TrialProcess, CannotRunWhatIsNotThere) {
  ShellTrial trial("");
  trial.process.argv = {"/no/such/program"};
  const Result<TrialEnd> end = run_trial(trial.process);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().where, "/no/such/program");
  EXPECT_EQ(end.error().message, "cannot run it: No such file or directory");
}

TEST(TrialProcess, NeedsFilesForItsStreams) {
  ShellTrial trial("touch started");
  trial.process.err_path = "/no/such/folder/err";
  EXPECT_EQ(run_trial(trial.process).error().where, "/no/such/folder/err");
  EXPECT_EQ(trial.text("started"), "(no file)");
}

TEST(TrialProcess, IsNotStartedWhereTheDiskIsFull) {
  ShellTrial trial("touch started");
  trial.process.free_disk = std::uint64_t{1} << 60;
  const Result<TrialEnd> end = run_trial(trial.process);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message.find("expected 1073741824 GiB that are free on the disk"), 0U) << end.error().message;
  EXPECT_EQ(trial.text("started"), "(no file)");
}

TEST(TrialProcess, EndsWhatIgnoresTheTimeLimit) {
  ShellTrial trial("trap '' TERM; echo $$ > number; sleep 100 & echo $! > child; sleep 100; sleep 100; sleep 100");
  trial.process.time_limit = 200ms;
  const TrialEnd end = trial.run();
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_GE(end.took, 1200ms);
  EXPECT_LT(end.took, 2200ms);
  EXPECT_TRUE(trial.is_gone("number"));
  EXPECT_TRUE(trial.is_gone("child"));
}

TEST(TrialProcess, LetsItLeaveAtTheTimeLimit) {
  ShellTrial trial("trap 'echo bye; exit 5' TERM; sleep 100 & wait");
  trial.process.time_limit = 200ms;
  const TrialEnd end = trial.run();
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.code(), 5);
  EXPECT_EQ(trial.text("out"), "bye\n");
  EXPECT_LT(end.took, 1200ms);
}

TEST(TrialProcess, EndsItForAReason) {
  ShellTrial trial("sleep 100");
  int asked = 0;
  trial.process.reason_to_stop = [&] { return ++asked < 3 ? "" : "it is hopeless"; };
  const TrialEnd end = trial.run();
  EXPECT_EQ(end.stopped, "it is hopeless");
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(asked, 3);
  EXPECT_GE(end.took, 250ms);
}

TEST(TrialProcess, EndsWhatItLeavesBehind) {
  ShellTrial trial("setsid sh -c 'echo $$ > far; exec env -i sleep 100' & while [ ! -s far ]; do sleep 0.01; done; sleep 100 & echo $! > near");
  const TrialEnd end = trial.run();
  EXPECT_EQ(end.code(), 0);
  EXPECT_EQ(end.left_running, 2U);
  EXPECT_FALSE(end.timed_out);
  EXPECT_LT(end.took, 1s);
  EXPECT_TRUE(trial.is_gone("near"));
  EXPECT_TRUE(trial.is_gone("far"));
}

TEST(TrialProcess, EndsWhatKilledOrStoppedItsKeeper) {
  ShellTrial killer("echo $$ > number; env -i setsid sleep 100 & echo $! > daemon; kill -KILL $PPID; sleep 100");
  const TrialEnd end = killer.run();
  EXPECT_EQ(end.signal, SIGKILL);
  ASSERT_EQ(end.notes.size(), 1U);
  EXPECT_TRUE(killer.is_gone("number"));
  EXPECT_TRUE(killer.is_gone("daemon"));

  ShellTrial stopper("echo $$ > number; kill -STOP $PPID; sleep 100");
  stopper.process.time_limit = 200ms;
  const TrialEnd stopped = stopper.run();
  EXPECT_TRUE(stopped.timed_out);
  EXPECT_TRUE(stopper.is_gone("number"));
}

TEST(TrialProcess, EndsWhatFillsItsFolder) {
  ShellTrial trial("while :; do head -c 1000000 /dev/zero >> large; sleep 0.01; done");
  trial.process.folder_limit = std::uint64_t{4} << 20;
  const TrialEnd end = trial.run();
  EXPECT_EQ(end.contained, "more than 4 MiB in its folder");
  EXPECT_EQ(end.signal, SIGTERM);
}

TEST(TrialProcess, KeepsTheEndOfAFlood) {
  ShellTrial trial("head -c 3000000 /dev/zero; echo end");
  trial.process.output_limit = 100;
  const TrialEnd end = trial.run();
  EXPECT_EQ(end.output_bytes, 3'000'004U);
  EXPECT_EQ(trial.text("out"), std::string(50, '\0') + "\n[frx: 2999904 bytes left out]\n" + std::string(46, '\0') + "end\n");
}

// Ctrl-C once is for the program; twice ends it at once.
TEST(TrialProcess, PassesInterruptsOn) {
  const auto interrupt = [](const ShellTrial& trial, std::string_view when) {
    ::signal(SIGINT, SIG_DFL);
    while (!std::filesystem::exists(trial.folder.file(when))) std::this_thread::sleep_for(5ms);
    ::kill(::getpid(), SIGINT);
  };
  ShellTrial polite("trap 'echo told; exit 7' INT; sleep 100 & touch ready; wait");
  std::thread once([&] { interrupt(polite, "ready"); });
  const TrialEnd end = polite.run();
  once.join();
  EXPECT_EQ(end.code(), 7);
  EXPECT_EQ(end.interrupted_by, SIGINT);
  EXPECT_EQ(polite.text("out"), "told\n");

  ShellTrial deaf("trap 'touch told' INT; touch ready; while :; do sleep 0.05; done");
  std::thread twice([&] {
    interrupt(deaf, "ready");
    interrupt(deaf, "told");
  });
  const TrialEnd killed = deaf.run();
  twice.join();
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.interrupted_by, SIGINT);
  EXPECT_LT(killed.took, 5s);
}

}  // namespace
}  // namespace frx::capture
