#include "capture/workload.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/spawn.h"

namespace frx::capture {
namespace {

using namespace std::chrono_literals;

// A shell script whose output goes to files of a folder, and its log.
struct Trial {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  WorkloadRequest request;
  Fd out{::open(folder.file("out").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  Fd err{::open(folder.file("err").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};

  explicit Trial(const std::string& script) {
    request.argv = {"sh", "-c", "cd " + folder.path() + "\n" + script};
    request.log_path = folder.file("log");
    request.out = out.get();
    request.err = err.get();
  }
  WorkloadEnd run() {
    const Result<WorkloadEnd> end = run_workload(request);
    EXPECT_TRUE(end) << to_string(end.error());
    return end ? *end : WorkloadEnd{};
  }
  std::string text(std::string_view name) const { return read_file(folder.file(name)).value_or("(no file)"); }
  bool has(std::string_view name) const { return std::filesystem::exists(folder.file(name)); }
  // Sends `signals` to this process, the first when the script has made the file "ready", the next when "told".
  std::thread sender(std::vector<int> signals) const {
    ::signal(SIGINT, SIG_DFL);  // a shell ignores it for what it starts in the background
    return std::thread([this, signals] {
      const char* when = "ready";
      for (const int signal : signals) {
        while (!has(when)) std::this_thread::sleep_for(5ms);
        ::kill(::getpid(), signal);
        when = "told";
      }
    });
  }
};

// Whether the process whose number the file holds is gone, or is gone soon.
bool disappears(const Trial& trial, std::string_view file) {
  const pid_t pid = std::stoi(trial.text(file));
  for (int i = 0; i < 400; ++i) {
    if (::kill(pid, 0) != 0) return true;
    std::this_thread::sleep_for(5ms);
  }
  ::kill(pid, SIGKILL);
  return false;
}

TEST(Workload, PassesBothStreamsOnAndKeepsThem) {
  Trial trial("echo out; echo err >&2; printf 'no line end'; exit 3");
  const WorkloadEnd end = trial.run();
  EXPECT_EQ(end.code(), 3);
  EXPECT_EQ(trial.text("out"), "out\nno line end");
  EXPECT_EQ(trial.text("err"), "err\n");
  for (const std::string_view part : {"out\n", "err\n", "no line end"}) EXPECT_NE(trial.text("log").find(part), std::string::npos);
}

TEST(Workload, KeepsTheOrderOfStreamsThatAreOne) {
  Trial trial("for i in 1 2 3 4 5 6 7 8; do echo out $i; echo err $i >&2; done");
  trial.request.err = trial.request.out;
  trial.run();
  std::string expected;
  for (int i = 1; i <= 8; ++i) expected += fmt::format("out {}\nerr {}\n", i, i);
  EXPECT_EQ(trial.text("out"), expected);
  EXPECT_EQ(trial.text("log"), expected);
}

TEST(Workload, PassesOnBytesBeforeTheLineEnds) {
  Trial trial("printf '\\r 10%%'; while [ ! -e seen ]; do sleep 0.01; done; printf '\\r100%%\\n'");
  std::thread watcher([&] {
    while (trial.text("out") != "\r 10%" || trial.text("log") != "\r 10%") std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(write_file(trial.folder.file("seen"), ""));
  });
  EXPECT_EQ(trial.run().code(), 0);
  watcher.join();
  EXPECT_EQ(trial.text("log"), "\r 10%\r100%\n");
}

TEST(Workload, PassesOnAnyBytes) {
  Trial trial("head -c 300000 /dev/zero; printf '\\377\\n'");
  trial.run();
  EXPECT_EQ(trial.text("out"), std::string(300000, '\0') + "\xff\n");
  EXPECT_EQ(trial.text("log"), trial.text("out"));
}

TEST(Workload, GivesItATerminalWhereWeHaveOne) {
  int master = -1, slave = -1;
  struct winsize size {
    .ws_row = 33, .ws_col = 123, .ws_xpixel = 0, .ws_ypixel = 0
  };
  if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0) GTEST_SKIP() << "no pseudo-terminals here";
  const Fd ours(master), terminal(slave);
  Trial trial("test -t 1 && echo yes || echo no; test -t 2 && echo yes || echo no; stty size <&1");
  trial.request.out = terminal.get();
  EXPECT_EQ(trial.run().code(), 0);
  EXPECT_EQ(trial.text("log"), "yes\nno\n33 123\n");  // no "\r": the terminal adds it
}

TEST(Workload, ReadsOurInput) {
  Pipe pipe = make_pipe().value();
  ASSERT_EQ(::write(pipe.write.get(), "typed\n", 6), 6);
  pipe.write.close();
  const Fd before(::dup(0));
  ::dup2(pipe.read.get(), 0);
  Trial trial("read line; echo \"$line\"; cat");
  trial.run();
  ::dup2(before.get(), 0);
  EXPECT_EQ(trial.text("out"), "typed\n");
}

TEST(Workload, AddsToTheEnvironment) {
  Trial trial("echo $FRX_RUN_ID");
  trial.request.environment = {{"FRX_RUN_ID", "run-1"}};
  trial.run();
  EXPECT_EQ(trial.text("log"), "run-1\n");
}

TEST(Workload, SaysWhyItCouldNotStart) {
  Trial trial("");
  trial.request.argv = {"/nonexistent/program"};
  const Result<WorkloadEnd> end = run_workload(trial.request);
  ASSERT_FALSE(end);
  EXPECT_EQ(to_string(end.error()), "/nonexistent/program: cannot run it: No such file or directory");
}

TEST(Workload, NamesTheSignalThatKilledIt) { EXPECT_EQ(Trial("kill -9 $$").run().code(), 137); }

TEST(Workload, SaysThatItsOutputCouldNotBePassedOn) {
  Trial trial("echo one; echo two >&2");
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  trial.request.out = full.get();
  const WorkloadEnd end = trial.run();
  EXPECT_EQ(end.code(), 0);
  EXPECT_EQ(end.output_error, ENOSPC);
  EXPECT_NE(trial.text("log").find("one\n"), std::string::npos);
}

// It has lost its parent, its session and the mark in its environment.
TEST(Workload, NotesADaemonThatEscaped) {
  Trial trial("env -i setsid sh -c 'echo $$ > daemon; exec sleep 100' >/dev/null 2>&1 & while [ ! -s daemon ]; do sleep 0.01; done");
  trial.request.environment = {{"FRX_RUN_ID", "escape"}};
  trial.request.mark = "FRX_RUN_ID=escape";
  const WorkloadEnd end = trial.run();
  ASSERT_EQ(end.notes.size(), 1u);
  EXPECT_EQ(end.notes[0], fmt::format("the workload left 1 background process(es) running, the first is {}", trim(trial.text("daemon"))));
  ::kill(std::stoi(trial.text("daemon")), SIGKILL);
}

// Only the thread that runs the workload holds signals back until there is a child; any other may get them before.
TEST(Workload, AnInterruptThatAnotherThreadTookTooEarlyStillArrives) {
  ::signal(SIGINT, SIG_DFL);
  std::atomic<bool> go{false};
  std::thread early([&] {
    while (!go) std::this_thread::sleep_for(1ms);
    ::kill(::getpid(), SIGINT);
  });
  SignalForwarding forwarding;
  go = true;
  early.join();
  while (forwarding.received() != SIGINT) std::this_thread::sleep_for(1ms);
  const std::vector<std::string> argv = {"sleep", "60"};
  const std::vector<std::pair<std::string, std::string>> environment;
  DeathWatch watch;
  const Result<pid_t> pid = spawn({.argv = argv, .environment = environment, .directory = {}}, forwarding, watch);
  ASSERT_TRUE(pid);
  EXPECT_EQ(reap(*pid), std::pair(0, SIGINT));
}

// Without a child: one that the shell has just forked would still have its trap, and say "bye" as well.
TEST(Workload, PassesAnInterruptOnAndReturnsItsOwnCode) {
  Trial trial("trap 'echo bye; exit 5' INT; : > ready; while :; do :; done");
  std::thread sender = trial.sender({SIGINT});
  const WorkloadEnd end = trial.run();
  sender.join();
  EXPECT_EQ(end.code(), 5);
  EXPECT_EQ(end.interrupted_by, SIGINT);
  EXPECT_EQ(trial.text("log"), "bye\n");
}

TEST(Workload, SendsTheInterruptToAllOfIt) {
  Trial trial("sh -c 'trap \"touch told; exit\" TERM; touch ready; while :; do sleep 0.01; done' & wait");
  std::thread sender = trial.sender({SIGTERM});
  EXPECT_EQ(trial.run().code(), 128 + SIGTERM);
  sender.join();
  EXPECT_TRUE(trial.has("told"));
}

TEST(Workload, ASecondInterruptEndsIt) {
  Trial trial("trap 'touch told' INT; touch ready; while :; do sleep 0.01; done");
  std::vector<std::string> said;
  trial.request.say = [&](std::string_view line) { said.emplace_back(line); };
  std::thread sender = trial.sender({SIGINT, SIGINT});
  const WorkloadEnd end = trial.run();
  sender.join();
  EXPECT_EQ(end.code(), 128 + SIGKILL);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("press Ctrl-C again"), std::string::npos);
}

TEST(Workload, LeavesNothingOfItsGroupRunning) {
  Trial trial("sleep 60 & echo $! > left; echo done");
  EXPECT_EQ(trial.run().code(), 0);
  EXPECT_EQ(trial.text("log"), "done\n");
  EXPECT_TRUE(disappears(trial, "left"));
}

TEST(Workload, EndsWhatIgnoresBeingAsked) {
  Trial trial("sh -c 'trap \"\" TERM; echo $$ > left; while :; do sleep 0.01; done' & while [ ! -s left ]; do sleep 0.01; done");
  EXPECT_EQ(trial.run().code(), 0);
  EXPECT_TRUE(disappears(trial, "left"));
}

// Whether the kernel lists the children of a thread, by which strays are found.
bool lists_children() { return std::filesystem::exists(fmt::format("/proc/self/task/{}/children", ::getpid())); }

// torchrun gives its workers sessions of their own.
TEST(Workload, EndsDescendantsInOtherSessionsWhenItWasKilled) {
  if (!lists_children()) GTEST_SKIP() << "this kernel does not list children";
  Trial trial("setsid sh -c 'echo $$ > left; exec sleep 60' & while [ ! -s left ]; do sleep 0.01; done; kill -9 $$");
  trial.request.environment = {{"FRX_RUN_ID", "run-of-this-test"}};
  trial.request.mark = "FRX_RUN_ID=run-of-this-test";
  EXPECT_EQ(trial.run().code(), 137);
  EXPECT_TRUE(disappears(trial, "left"));
}

// A daemon that was started on purpose outlives a workload that ended well.
TEST(Workload, NamesDescendantsInOtherSessionsWhenItEndedWell) {
  if (!lists_children()) GTEST_SKIP() << "this kernel does not list children";
  Trial trial("setsid sh -c 'echo $$ > left; exec sleep 60' >/dev/null 2>&1 & while [ ! -s left ]; do sleep 0.01; done");
  trial.request.environment = {{"FRX_RUN_ID", "run-of-this-test"}};
  trial.request.mark = "FRX_RUN_ID=run-of-this-test";
  const WorkloadEnd end = trial.run();
  const pid_t left = std::stoi(trial.text("left"));
  EXPECT_EQ(::kill(left, 0), 0);
  ::kill(left, SIGKILL);
  ASSERT_EQ(end.notes.size(), 1u);
  EXPECT_NE(end.notes[0].find(std::to_string(left)), std::string::npos) << end.notes[0];
}

TEST(Workload, AReaderThatLeavesDoesNotEndIt) {
  Pipe pipe = make_pipe().value();
  pipe.read.close();
  ::signal(SIGPIPE, SIG_IGN);  // as main does
  Trial trial("echo first; echo second; exit 4");
  trial.request.out = pipe.write.get();
  EXPECT_EQ(trial.run().code(), 4);
  EXPECT_EQ(trial.text("log"), "first\nsecond\n");
}

TEST(Workload, DoesNotWaitForADaemonThatHoldsTheStreams) {
  Trial trial("setsid sh -c 'echo $$ > left; exec sleep 60' & while [ ! -s left ]; do sleep 0.01; done; echo here");
  const WorkloadEnd end = trial.run();
  EXPECT_LT(end.took, 30s);
  EXPECT_EQ(trial.text("out"), "here\n");
  ::kill(std::stoi(trial.text("left")), SIGKILL);
}

}  // namespace
}  // namespace frx::capture
