#include "cli/syntax.h"

#include <gtest/gtest.h>

namespace frx::cli {
namespace {

using Words = std::vector<std::string>;

// A command with one of each kind.
struct Everything {
  std::string preset = "full";
  Words files;
  Words workload;
  Words tags;
  Words flags;
  std::string output;
  std::string kernel_name;
  bool json = false;
  bool list = false;
  Syntax::Number skip;
  double ratio = 0.5;
  Syntax syntax;

  Everything() {
    syntax.argument("PRESET", preset, "which", {"memory", "full"});
    syntax.arguments("FILE", files, "inputs");
    syntax.workload(workload, "what to run");
    syntax.option("-o,--output", "FILE", output, "where to");
    syntax.option("--kernel-name", "FILTER", kernel_name, "which kernels");
    syntax.option("--tag", "TAG", tags, "any number");
    syntax.words("--flags", "FLAGS", flags, "for a compiler");
    syntax.option("--launch-skip", "N", skip, "how many");
    syntax.option("--ratio", "R", ratio, "share");
    syntax.flag("-j,--json", json, "as JSON");
    syntax.flag("--list", list, "list");
  }
  std::string refused(const Words& args) {
    const Result<> parsed = syntax.parse(args);
    EXPECT_FALSE(parsed);
    return parsed ? "" : parsed.error().message + (parsed.error().hint.empty() ? "" : " / " + parsed.error().hint);
  }
};

TEST(Syntax, TakesOptionsAndArgumentsInAnyOrder) {
  Everything all;
  const Result<> parsed = all.syntax.parse(Words{"memory", "-o", "x.csv", "a", "--launch-skip=3", "b", "--ratio", "0.25", "-j"});
  ASSERT_TRUE(parsed) << to_string(parsed.error());
  EXPECT_EQ(all.preset, "memory");
  EXPECT_EQ(all.files, (Words{"a", "b"}));
  EXPECT_EQ(all.output, "x.csv");
  EXPECT_EQ(all.skip, 3u);
  EXPECT_EQ(all.ratio, 0.25);
  EXPECT_TRUE(all.json);
}

TEST(Syntax, TheLastOfARepeatedOptionCounts) {
  Everything all;
  ASSERT_TRUE(all.syntax.parse(Words{"-o", "a", "--output", "b", "--tag", "x", "--tag=y"}));
  EXPECT_EQ(all.output, "b");
  EXPECT_EQ(all.tags, (Words{"x", "y"}));
}

TEST(Syntax, TheWorkloadIsNeverLookedAt) {
  Everything all;
  ASSERT_TRUE(all.syntax.parse(Words{"memory", "--", "python", "--json", "--", "-x"}));
  EXPECT_EQ(all.workload, (Words{"python", "--json", "--", "-x"}));
  EXPECT_FALSE(all.json);
}

TEST(Syntax, LongOptionsMayBeShortened) {
  Everything all;
  ASSERT_TRUE(all.syntax.parse(Words{"--kern=a b", "--js", "--out", "f"}));
  EXPECT_EQ(all.kernel_name, "a b");
  EXPECT_TRUE(all.json);
  EXPECT_EQ(all.output, "f");
  EXPECT_EQ(all.refused({"--l"}), "'--l' could be --launch-skip or --list");
}

TEST(Syntax, SaysWhatWasExpected) {
  EXPECT_EQ(Everything().refused({"--kernal-name", "x"}), "unknown option '--kernal-name' / did you mean '--kernel-name'?");
  EXPECT_EQ(Everything().refused({"-z"}), "unknown option '-z'");
  EXPECT_EQ(Everything().refused({"all"}), "PRESET: expected one of memory, full, found 'all'");
  EXPECT_EQ(Everything().refused({"--launch-skip", "-5"}), "--launch-skip: expected a whole number from 0, found '-5'");
  EXPECT_EQ(Everything().refused({"--launch-skip", "99999999999999999999"}),
            "--launch-skip: expected a whole number from 0, found '99999999999999999999'");
  EXPECT_EQ(Everything().refused({"--output"}), "expected a value after --output");
  EXPECT_EQ(Everything().refused({"--json=no"}), "--json takes no value");
}

TEST(Syntax, RequiredPartsAreRequired) {
  Syntax syntax;
  std::string shell;
  Words workload;
  syntax.required_argument("SHELL", shell, "");
  syntax.required_workload(workload, "");
  EXPECT_EQ(syntax.parse(Words{"--", "x"}).error().message, "expected SHELL");
  EXPECT_EQ(syntax.parse(Words{"bash"}).error().message, "expected a command after --");
  EXPECT_EQ(syntax.parse(Words{"bash", "--"}).error().message, "expected a command after --");
  EXPECT_TRUE(syntax.parse(Words{"bash", "--", "x"}));
}

TEST(Syntax, WithoutArgumentsAWordIsTooMuch) {
  Syntax syntax;
  bool json = false;
  syntax.flag("--json", json, "");
  EXPECT_EQ(syntax.parse(Words{"word"}).error().message, "expected options only, found an argument");
}

TEST(Syntax, FindsWhereTheCommandBegins) {
  Syntax syntax;
  std::string colour;
  bool verbose = false;
  syntax.option("--color", "WHEN", colour, "");
  syntax.flag("-v,--verbose", verbose, "");
  EXPECT_EQ(syntax.leading_options(Words{"-v", "--color", "never", "doctor", "-v"}), 3u);
  EXPECT_EQ(syntax.leading_options(Words{"--col=never", "doctor"}), 1u);
  EXPECT_EQ(syntax.leading_options(Words{"--color"}), 1u);
  EXPECT_EQ(syntax.leading_options(Words{}), 0u);
}

// docs/contract.md, section 3.3: frx compare a.cu b.cu --build-flags "-DBUILD_EXECUTABLE".
TEST(Syntax, AValueMayBeginWithADash) {
  Everything all;
  ASSERT_TRUE(all.syntax.parse(Words{"--flags", "-DBUILD -I'my include'", "--flags", "-O3", "memory"}));
  EXPECT_EQ(all.flags, (Words{"-DBUILD", "-Imy include", "-O3"}));
  EXPECT_EQ(all.preset, "memory");
}

TEST(Syntax, AnOptionOfOursIsNoValueOfAnother) {
  Everything all;
  EXPECT_EQ(all.refused({"--flags", "--json"}), "expected a value after --flags");
  EXPECT_EQ(all.refused({"--flags", "'-O3"}), "--flags: expected words whose quotes are closed, found ''-O3'");
}

TEST(Syntax, EverythingBehindARemainderIsItsOwn) {
  Given given;
  bool json = false;
  std::string script;
  std::vector<std::string> rest;
  Syntax syntax;
  syntax.remember(given);
  syntax.flag("--json", json, "");
  syntax.required_argument("SCRIPT", script, "");
  syntax.remainder("--script-args", "ARG...", rest, "");
  ASSERT_TRUE(syntax.parse(Words{"a.py", "--script-args", "--json", "--", "8", "--script-args"}));
  EXPECT_EQ(script, "a.py");
  EXPECT_FALSE(json);
  EXPECT_EQ(rest, (Words{"--json", "--", "8", "--script-args"}));
  EXPECT_TRUE(given.has("--script-args"));
  rest.clear();
  ASSERT_TRUE(syntax.parse(Words{"--json", "a.py"}));
  EXPECT_TRUE(rest.empty());
}

TEST(Syntax, RemembersWhatWasGiven) {
  Given given;
  bool json = false;
  std::string preset = "full", why;
  Syntax syntax;
  syntax.remember(given);
  syntax.flag("--json,--output-json", json, "");
  syntax.option("-p,--preset", "NAME", preset, "");
  syntax.option("--why", "FIELD", why, "");
  ASSERT_TRUE(syntax.parse(Words{"--output-json", "-p", "full"}));
  EXPECT_TRUE(given.has("--json"));
  EXPECT_TRUE(given.has("--preset"));  // also where it is what it would be anyway
  EXPECT_TRUE(given.has("--preset full"));
  EXPECT_FALSE(given.has("--preset memory"));
  EXPECT_FALSE(given.has("--why"));
  EXPECT_TRUE(given.expect_applicable("x", "", {{"--why", false, "a profile"}, {"--preset memory", false, "a live run"}}));
  const Result<> refused = given.expect_applicable("x", "a file", {{"--why", false, "a profile"}, {"--preset", false, "a live run"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "x: --preset goes with a live run, not with a file");
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace frx::cli
