#include "capture/process_tree.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "capture/spawn.h"

namespace frx::capture {
namespace {

// A child that takes orphans, a grandchild in a session of its own, and a child of that one: each waits.
class ThreeGenerations {
 public:
  ThreeGenerations() {
    Pipe ready = make_pipe().value();
    root_ = ::fork();
    if (root_ == 0) {
      ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
      if (::fork() != 0) wait_for_ever(ready);
      ::setsid();
      ::fork();
      wait_for_ever(ready);
    }
    char byte = 0;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(::read(ready.read.get(), &byte, 1), 1);
  }
  ~ThreeGenerations() {
    tree->signal_below(root_, SIGKILL);
    ::kill(root_, SIGKILL);
    ::waitpid(root_, nullptr, 0);
  }
  pid_t root() const { return root_; }
  std::unique_ptr<ProcessTree> tree = std::make_unique<ProcessTree>();

 private:
  [[noreturn]] static void wait_for_ever(const Pipe& ready) {
    [[maybe_unused]] const ssize_t told = ::write(ready.write.get(), "x", 1);
    while (true) ::pause();
  }
  pid_t root_;
};

TEST(ProcessTree, FindsDescendantsInOtherSessions) {
  const ThreeGenerations family;
  const ProcessTree::Seen seen = family.tree->signal_below(family.root(), 0);
  EXPECT_EQ(seen.alive, 2U);
  EXPECT_EQ(seen.threads, 2U);
  EXPECT_EQ(seen.signalled, 0U);
  EXPECT_GE(family.tree->signal_below(::getpid(), 0).alive, 3U);
}

TEST(ProcessTree, StopsEachOnce) {
  const ThreeGenerations family;
  EXPECT_EQ(family.tree->signal_below(family.root(), SIGSTOP).signalled, 2U);
  ::usleep(20'000);
  const ProcessTree::Seen again = family.tree->signal_below(family.root(), SIGSTOP);
  EXPECT_EQ(again.signalled, 0U);
  EXPECT_EQ(again.alive, 2U);
}

TEST(ProcessTree, CountsNoneThatHasEnded) {
  const ThreeGenerations family;
  EXPECT_EQ(family.tree->signal_below(family.root(), SIGKILL).signalled, 2U);
  ::usleep(50'000);  // the child of the root stays, as a zombie
  EXPECT_EQ(family.tree->signal_below(family.root(), 0).alive, 0U);
}

TEST(ProcessTree, IsEmptyBelowWhatDoesNotExist) {
  const auto tree = std::make_unique<ProcessTree>();
  EXPECT_EQ(tree->signal_below(0, SIGKILL).alive, 0U);
  EXPECT_EQ(tree->signal_below(4'194'303, SIGKILL).alive, 0U);
  EXPECT_EQ(tree->signal_below(2'000'000'000, SIGKILL).alive, 0U);
}

}  // namespace
}  // namespace frx::capture
