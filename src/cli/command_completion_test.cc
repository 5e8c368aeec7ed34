#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/host.h"
#include "cli/command.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

std::string completion_script(const std::string& shell) {
  TestIo test;
  EXPECT_EQ(test.run({"completion", shell}), 0);
  return test.out();
}

// What bash offers for the words typed so far; the last one is being completed.
std::string bash_offers(const std::string& words) {
  const TemporaryDirectory folder = std::move(*TemporaryDirectory::make("/tmp"));
  EXPECT_TRUE(write_file(folder.file("frx"), completion_script("bash")));
  capture::ChildCommand child;
  child.argv = {"bash", "--norc", "-c",
                "source \"$0\"; COMP_WORDS=(" + words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _frx; echo \"${COMPREPLY[*]}\"",
                folder.file("frx")};
  const Result<capture::Exit> exit = run_process(child);
  EXPECT_TRUE(exit && exit->ok()) << (exit ? exit->err : "");
  return exit ? exit->out : "";
}

TEST(Completion, EveryShellKnowsEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string text = completion_script(shell);
    for (const Command* command : commands()) {
      for (const std::string& word : words_of(*command)) EXPECT_NE(text.find(word), text.npos) << shell << ": " << word;
    }
  }
}

TEST(Completion, BashOffersCommandsOptionsAndChoices) {
  if (!capture::find_program("bash", "/bin:/usr/bin")) GTEST_SKIP() << "no bash here";
  EXPECT_EQ(bash_offers("frx doc"), "doctor\n");
  EXPECT_EQ(bash_offers("frx -v doc"), "doctor\n");
  EXPECT_EQ(bash_offers("frx --color al"), "always\n");
  EXPECT_EQ(bash_offers("frx ncu-command mem"), "memory\n");
  EXPECT_EQ(bash_offers("frx ncu-command --launch-s"), "--launch-skip\n");
  EXPECT_EQ(bash_offers("frx ncu-command --output x"), "\n");
  EXPECT_EQ(bash_offers("frx ncu-command -- ./a"), "\n");
  EXPECT_EQ(bash_offers("frx operators repo"), "report\n");
  EXPECT_EQ(bash_offers("frx operators report --b"), "--by\n");
  EXPECT_EQ(bash_offers("frx operators report --by mo"), "module\n");
}

TEST(Completion, NeedsAShell) {
  TestIo test;
  EXPECT_EQ(test.run({"completion"}), 2);
  EXPECT_NE(test.err().find("expected SHELL"), std::string::npos);
}

}  // namespace
}  // namespace frx::cli
