#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

using ::testing::HasSubstr;

const std::string script = "import torch\nx = 1\n";

// A script in a folder of its own, and what is typed.
struct Patching {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::string path = folder.file("train.py");
  TestIo test;
  int saved_input = ::dup(0);

  Patching() {
    EXPECT_TRUE(write_file(path, script));
    ::chmod(path.c_str(), 0750);
    type("");
  }
  ~Patching() {
    ::dup2(saved_input, 0);
    ::close(saved_input);
  }
  void type(const std::string& text) {
    EXPECT_TRUE(write_file(folder.file("typed"), text));
    const int input = ::open(folder.file("typed").c_str(), O_RDONLY);
    ::dup2(input, 0);
    ::close(input);
  }
  std::string text(std::string_view suffix = "") const { return read_file(path + std::string(suffix)).value_or("(no file)"); }
  unsigned mode() const {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }
};

#define NEEDS_PYTHON \
  if (!capture::this_machine().program("python3")) GTEST_SKIP() << "no python3"

TEST(Init, ShowsTheDifferenceAndNothingElseOnADryRun) {
  NEEDS_PYTHON;
  Patching patching;
  EXPECT_EQ(patching.test.run({"init", "--patch", patching.path, "--dry-run"}), 0);
  EXPECT_THAT(patching.test.out(), HasSubstr("+import fournex as frx\n"));
  EXPECT_EQ(patching.text(), script);
  EXPECT_EQ(patching.text(".before-frx"), "(no file)");
}

TEST(Init, WritesOnlyAfterAYes) {
  NEEDS_PYTHON;
  for (const char* answer : {"n\n", "\n", "yes\n", "sure"}) {
    Patching patching;
    patching.type(answer);
    EXPECT_EQ(patching.test.run({"init", "--patch", patching.path}), 0);
    EXPECT_THAT(patching.test.out(), HasSubstr("Skipped"));
    EXPECT_EQ(patching.text(), script);
  }
  Patching patching;
  patching.type(" Y \n");
  EXPECT_EQ(patching.test.run({"init", "--patch", patching.path}), 0);
  EXPECT_THAT(patching.text(), HasSubstr("frx.init(job_name=\"my-run\")\n"));
}

// Spec C1: the reference ended with a stack trace.
TEST(Init, TakesAClosedInputForANo) {
  NEEDS_PYTHON;
  Patching patching;
  EXPECT_EQ(patching.test.run({"init", "--patch", patching.path}), 0);
  EXPECT_THAT(patching.test.out(), HasSubstr("No answer on standard input; --yes"));
  EXPECT_EQ(patching.text(), script);
}

TEST(Init, KeepsTheScriptAsItWasAndItsMode) {
  NEEDS_PYTHON;
  Patching patching;
  EXPECT_EQ(patching.test.run({"init", "--patch", patching.path, "--yes"}), 0);
  EXPECT_NE(patching.text(), script);
  EXPECT_EQ(patching.text(".before-frx"), script);
  EXPECT_EQ(patching.mode(), 0750u);
  TestIo again;
  EXPECT_EQ(again.run({"init", "--patch", patching.path, "--yes"}), 0);
  EXPECT_THAT(again.out(), HasSubstr("uses fournex already"));
  EXPECT_EQ(patching.text(".before-frx.2"), "(no file)");
}

TEST(Init, LeavesAloneWhatIsNoPython) {
  NEEDS_PYTHON;
  Patching patching;
  ASSERT_TRUE(write_file(patching.path, "print 'two'\n"));
  EXPECT_EQ(patching.test.run({"init", "--patch", patching.path, "--yes"}), 1);
  EXPECT_THAT(patching.test.err(), HasSubstr("not patched: line 1 is no Python"));
  EXPECT_EQ(patching.text(), "print 'two'\n");
}

}  // namespace
}  // namespace frx::cli
