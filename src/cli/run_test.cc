#include "cli/run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "base/text.h"
#include "cli/command.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

TEST(Run, WithoutACommandShowsHelpAndFails) {
  TestIo test;
  EXPECT_EQ(test.run({}), 1);
  EXPECT_TRUE(test.out().starts_with("usage: frx [OPTIONS] COMMAND"));
  EXPECT_EQ(test.err(), "");
}

TEST(Run, HelpSucceeds) {
  for (const char* name : {"--help", "-h"}) {
    TestIo test;
    EXPECT_EQ(test.run({name}), 0);
    EXPECT_NE(test.out().find("doctor"), std::string::npos);
  }
}

TEST(Run, ShowsTheNameItWasCalledBy) {
  EXPECT_EQ(program_called_by("/usr/bin/fournex"), "fournex");
  EXPECT_EQ(program_called_by("./fournex-0.1"), "fournex");
  EXPECT_EQ(program_called_by("/home/fournex/frx"), "frx");
  TestIo test;
  test.io.program = "fournex";
  test.run({"doctor", "--help"});
  EXPECT_TRUE(test.out().starts_with("usage: fournex doctor"));
}

TEST(Run, Version) {
  TestIo test;
  EXPECT_EQ(test.run({"--version"}), 0);
  EXPECT_TRUE(test.out().starts_with("frx 0."));
}

TEST(Run, AnUnknownCommandIsAUsageError) {
  TestIo test;
  EXPECT_EQ(test.run({"docter"}), 2);
  EXPECT_EQ(test.out(), "");
  EXPECT_EQ(test.err(), "usage: frx [OPTIONS] COMMAND ...\nfrx: error: unknown command 'docter'\n  hint: did you mean 'doctor'?\n");
}

TEST(Run, UnknownOptionsNeverReachTheTerminalRaw) {
  TestIo test;
  EXPECT_EQ(test.run({"--\x1b[31m"}), 2);
  EXPECT_EQ(test.err().find('\x1b'), std::string::npos);
}

TEST(Run, LeadingFlagsSetLogAndColour) {
  TestIo test;
  EXPECT_EQ(test.run({"--debug", "--color", "always", "man"}), 0);
  EXPECT_EQ(test.io.level, LogLevel::debug);
  EXPECT_TRUE(test.io.colour);
  EXPECT_EQ(test.run({"--color", "sometimes", "man"}), 2);
}

std::vector<std::string> with(std::vector<std::string> words, const char* last) {
  words.emplace_back(last);
  return words;
}

TEST(Run, CommandsOfTwoWordsAreAFamily) {
  TestIo overview, nothing, wrong, apart, whole;
  EXPECT_EQ(overview.run({"operators", "--help"}), 0);
  EXPECT_TRUE(overview.out().starts_with("usage: frx operators COMMAND ...\n\n  ")) << overview.out();
  EXPECT_NE(overview.out().find("\n  report "), std::string::npos) << overview.out();
  EXPECT_EQ(nothing.run({"operators"}), 1);
  EXPECT_EQ(nothing.out(), overview.out());
  EXPECT_EQ(wrong.run({"operators", "reprot"}), 2);
  EXPECT_NE(wrong.err().find("unknown command 'operators reprot'\n"), std::string::npos) << wrong.err();
  EXPECT_NE(wrong.err().find("did you mean 'operators report'?"), std::string::npos) << wrong.err();
  EXPECT_EQ(apart.run({"operator"}), 2);
  EXPECT_NE(apart.err().find("did you mean 'operators'?"), std::string::npos) << apart.err();
  EXPECT_EQ(whole.run({"operators report"}), 2) << "one argument is not two words";
}

TEST(Run, OperatorProfilerHasOneFamily) {
  TestIo overview, help, version;
  for (TestIo* test : {&overview, &help, &version}) test->io.program = program_called_by("/usr/bin/operator-profiler");
  EXPECT_EQ(overview.run({}), 1);
  EXPECT_TRUE(overview.out().starts_with("usage: operator-profiler COMMAND ...\n")) << overview.out();
  EXPECT_EQ(help.run({"report", "--help"}), 0);
  EXPECT_TRUE(help.out().starts_with("usage: operator-profiler report [OPTIONS] FILE\n")) << help.out();
  EXPECT_EQ(version.run({"--version"}), 0);
  EXPECT_TRUE(version.out().starts_with("operator-profiler ")) << version.out();
}

TEST(Run, EveryCommandHasHelpThatFitsTheTerminal) {
  for (const Command* command : commands()) {
    TestIo test;
    EXPECT_EQ(run(with(words_of(*command), "--help"), test.io), 0);
    EXPECT_TRUE(test.out().starts_with("usage: frx " + std::string(command->name)));
    for (const std::string_view line : split(test.out(), '\n')) EXPECT_LE(display_width(line), 80u) << line;
  }
}

TEST(Run, EveryCommandRefusesAnUnknownOption) {
  for (const Command* command : commands()) {
    TestIo test;
    EXPECT_EQ(run(with(words_of(*command), "--no-such-option"), test.io), 2) << command->name;
    EXPECT_TRUE(test.err().starts_with("usage: frx " + std::string(command->name)));
  }
}

TEST(Commands, AreUniqueAndWorded) {
  std::set<std::string_view> names;
  for (const Command* command : commands()) {
    EXPECT_TRUE(names.insert(command->name).second) << command->name;
    EXPECT_FALSE(command->summary.empty() || command->summary.ends_with('.')) << command->name;
    EXPECT_FALSE(command->group.empty()) << command->name;
    Syntax syntax;
    command->describe(syntax);
    for (const Parameter& parameter : syntax.parameters()) {
      EXPECT_FALSE(parameter.help.empty()) << command->name << " " << parameter.placeholder;
    }
  }
}

TEST(Errors, ContinueTheirHintBelowItself) {
  EXPECT_EQ(error_text({ErrorKind::environment, "no ncu", "x.csv:3", "one\ntwo"}, "frx"),
            "frx: x.csv:3: no ncu\n  hint: one\n        two\n");
}

TEST(Colour, FollowsTheConventions) {
  TestIo test;
  std::string no_color, force, term = "xterm";
  test.io.environment = [&](std::string_view name) -> std::optional<std::string> {
    return name == "NO_COLOR" ? no_color : name == "FORCE_COLOR" ? force : name == "TERM" ? term : "";
  };
  EXPECT_FALSE(wants_colour(test.io));
  test.io.out_is_terminal = true;
  EXPECT_TRUE(wants_colour(test.io));
  term = "dumb";
  EXPECT_FALSE(wants_colour(test.io));
  force = "1";
  EXPECT_TRUE(wants_colour(test.io));
  no_color = "1";
  EXPECT_FALSE(wants_colour(test.io));
}

TEST(FileSink, AFullDiskIsReportedAndFails) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  FileSink out(full, true);
  StringSink err;
  Io io{.out = out, .err = err};
  const std::vector<std::string> args = {"--version"};
  EXPECT_EQ(run(args, io), 1);
  EXPECT_EQ(err.text(), "frx: cannot write the output: No space left on device\n");
  ::close(full);
}

TEST(FileSink, AReaderThatLeftIsNoFailure) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  FileSink sink(ends[1], false);
  sink.write("no process reads this");
  sink.write("nor this");
  EXPECT_EQ(sink.error(), 0);
  std::signal(SIGPIPE, before);
  ::close(ends[1]);
}

}  // namespace
}  // namespace frx::cli
