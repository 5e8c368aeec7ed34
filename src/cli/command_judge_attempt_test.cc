#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

// kdiag 9: several workers keep one history.
TEST(JudgeAttemptCommand, WritersOfOneHistoryLoseNothing) {
  constexpr int writers = 8, attempts_of_each = 10;
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  const std::string history = folder.file("tried.jsonl");
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&history, writer] {
      for (int i = 0; i < attempts_of_each; ++i) {
        TestIo test;
        EXPECT_EQ(test.run({"judge", "attempt", history, "--fix", "one of " + std::to_string(writer)}), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = read_file(history).value();
  EXPECT_EQ(std::ranges::count(text, '\n'), writers * attempts_of_each);
}

TEST(JudgeAttemptCommand, ARoundIsNoNegativeNumber) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  TestIo test;
  EXPECT_EQ(test.run({"judge", "attempt", folder.file("tried.jsonl"), "--round", "18446744073709551615"}), 2);
}

}  // namespace
}  // namespace frx::cli
