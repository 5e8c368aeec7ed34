#include "capture/death_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/process.h"
#include "capture/workload.h"

namespace frx::capture {
namespace {

using namespace std::chrono_literals;

bool ends(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    if (::kill(pid, 0) != 0) return true;
    std::this_thread::sleep_for(5ms);
  }
  ::kill(pid, SIGKILL);
  return false;
}

// A process of its own that runs `work` in a folder and is killed when the files `names` are there: the numbers in them.
template <typename Work>
std::vector<pid_t> started_by_killed(const TemporaryDirectory& folder, const std::vector<std::string>& names, const Work& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    work();
    ::_exit(0);
  }
  std::vector<pid_t> started;
  for (const std::string& name : names) {
    std::string text;
    while (!text.ends_with('\n')) {
      std::this_thread::sleep_for(2ms);
      text = read_file(folder.file(name)).value_or("");
    }
    started.push_back(std::stoi(text));
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return started;
}

// Silent programs: nothing tells them that their output has no reader any more.
TEST(DeathWatch, EndsAWorkloadAndItsDescendantsWhenThisProcessIsKilled) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const std::vector<pid_t> started = started_by_killed(folder, {"in-group", "in-session", "deaf", "itself"}, [&] {
    WorkloadRequest request;
    request.argv = {"sh", "-c",
                    "cd " + folder.path() +
                        "; sleep 100 & echo $! > in-group; setsid sh -c 'echo $$ > in-session; exec sleep 100' & "
                        "sh -c 'trap \"\" TERM; echo $$ > deaf; sleep 100; sleep 100' & echo $$ > itself; exec sleep 100"};
    request.environment = {{"FRX_RUN_ID", "death-watch"}};
    request.mark = "FRX_RUN_ID=death-watch";
    request.out = request.err = 2;
    [[maybe_unused]] const auto end = run_workload(request);
  });
  for (const pid_t pid : started) EXPECT_TRUE(ends(pid));
}

TEST(DeathWatch, EndsWhatIsWaitedForWhenThisProcessIsKilled) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const std::vector<pid_t> started = started_by_killed(folder, {"child", "itself"}, [&] {
    ChildCommand command;
    command.argv = {"sh", "-c", "cd " + folder.path() + "; sleep 100 & echo $! > child; echo $$ > itself; exec sleep 100"};
    [[maybe_unused]] const auto exit = run_process(command);
  });
  for (const pid_t pid : started) EXPECT_TRUE(ends(pid));
}

TEST(DeathWatch, EndsAlsoWhatLeftTheGroupOfAChild) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const std::vector<pid_t> started = started_by_killed(folder, {"in-session", "deaf"}, [&] {
    ChildCommand command;
    command.argv = {"sh", "-c",
                    "cd " + folder.path() +
                        "; setsid sh -c 'echo $$ > in-session; exec sleep 100' & "
                        "setsid sh -c 'trap \"\" TERM; echo $$ > deaf; sleep 100; sleep 100' & exec sleep 100"};
    [[maybe_unused]] const auto exit = run_process(command);
  });
  for (const pid_t pid : started) EXPECT_TRUE(ends(pid));
}

TEST(DeathWatch, SurvivesWhoKillsTheGroupOfThisProcess) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    DeathWatch watch;
    watch.start("");
    // The only child: in a group or session of its own as soon as anything can be started.
    ::kill(0, SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status));
  const std::string list = read_file(fmt::format("/proc/{}/task/{}/children", pid, pid)).value_or("");
  const std::string child(trim(list));
  const std::string state = read_file(fmt::format("/proc/{}/status", child)).value_or("");
  EXPECT_EQ(state.find("T (stopped)"), state.npos) << child;
  EXPECT_NE(state, "");
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST(DeathWatch, LeavesAloneWhatOutlivesAnOrdinaryEnd) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  ChildCommand command;
  command.argv = {"sh", "-c", "cd " + folder.path() + "; setsid sleep 100 >/dev/null 2>&1 & echo $! > daemon"};
  ASSERT_TRUE(run_process(command));
  std::this_thread::sleep_for(100ms);
  const pid_t daemon = std::stoi(read_file(folder.file("daemon")).value());
  EXPECT_EQ(::kill(daemon, 0), 0);
  ::kill(daemon, SIGKILL);
}

}  // namespace
}  // namespace frx::capture
