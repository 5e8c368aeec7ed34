#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/host.h"
#include "cli/command.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

std::string page() {
  TestIo test;
  EXPECT_EQ(test.run({"man"}), 0);
  return test.out();
}

TEST(Man, DescribesEveryCommand) {
  const std::string text = page();
  EXPECT_TRUE(text.starts_with(".TH FRX 1 "));
  for (const Command* command : commands()) {
    EXPECT_NE(text.find(command->summary), text.npos) << command->name;
  }
}

TEST(Man, IsWellFormed) {
  if (!capture::find_program("mandoc", "/usr/bin:/bin")) GTEST_SKIP() << "no mandoc here";
  const TemporaryDirectory folder = std::move(*TemporaryDirectory::make("/tmp"));
  ASSERT_TRUE(write_file(folder.file("frx.1"), page()));
  capture::ChildCommand child;
  child.argv = {"mandoc", "-Tlint", "-Wwarning", folder.file("frx.1")};
  const Result<capture::Exit> exit = run_process(child);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->out, "");
}

}  // namespace
}  // namespace frx::cli
