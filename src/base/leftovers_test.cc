#include "base/leftovers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/output_file.h"
#include "base/temporary_directory.h"

namespace frx {
namespace {

namespace fs = std::filesystem;

// How a process ends that does this after main has prepared it: the number of a signal, or 0.
template <typename Work>
int signal_that_ends(const Work& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);  // what starts the tests may ignore them
    Leftover::remove_on_signals();
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(Leftovers, ATemporaryFolderGoesWithAllThatIsInIt) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(signal_that_ends([&] {
                TemporaryDirectory inner = TemporaryDirectory::make(folder.path()).value();
                for (int i = 0; i < 200; ++i) {
                  [[maybe_unused]] const Result<> written = write_file(inner.file(fmt::format("a/{}/of many files {}", i % 7, i)), "x");
                }
                fs::create_directory_symlink(folder.path(), inner.file("link"));
                const TemporaryDirectory moved = std::move(inner);
                ::raise(signal);
              }),
              signal);
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST(Leftovers, WhatHasItsNameStays) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  EXPECT_EQ(signal_that_ends([&] {
              [[maybe_unused]] const Result<> written = write_file(folder.file("whole"), "whole");
              const Leftover noted(folder.file("half"));
              ::close(::creat(folder.file("half").c_str(), 0600));
              ::close(::creat(folder.file("forgotten").c_str(), 0600));
              Leftover(folder.file("forgotten")).forget();
              ::raise(SIGTERM);
            }),
            SIGTERM);
  EXPECT_EQ(read_file(folder.file("whole")).value_or(""), "whole");
  EXPECT_TRUE(fs::exists(folder.file("forgotten")));
  EXPECT_FALSE(fs::exists(folder.file("half")));
}

TEST(Leftovers, MoreThanCanBeNotedIsNoHarm) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::vector<Leftover> many;
  for (int i = 0; i < 100; ++i) many.emplace_back(folder.file(std::to_string(i)));
  many.clear();
  EXPECT_EQ(signal_that_ends([&] {
              const TemporaryDirectory inner = TemporaryDirectory::make(folder.path()).value();
              ::raise(SIGINT);
            }),
            SIGINT);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Leftovers, ASignalThatIsIgnoredStaysSo) {
  EXPECT_EQ(signal_that_ends([] {
              ::signal(SIGHUP, SIG_IGN);
              Leftover::remove_on_signals();
              ::raise(SIGHUP);
            }),
            0);
}

TEST(Leftovers, SignalsWaitWhileTheyAreHeld) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  EXPECT_EQ(signal_that_ends([&] {
              const SignalsHeld held;
              ::raise(SIGTERM);
              [[maybe_unused]] const Result<> written = write_file(folder.file("done"), "x");
            }),
            SIGTERM);
  EXPECT_TRUE(fs::exists(folder.file("done")));
}

}  // namespace
}  // namespace frx
