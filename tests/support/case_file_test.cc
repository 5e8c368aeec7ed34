#include "support/case_file.h"

#include <gtest/gtest.h>

namespace frx::testing {
namespace {

Case parsed(std::string_view text) {
  Result<Case> one = parse_case("a.case", text);
  if (one) return std::move(*one);
  ADD_FAILURE() << to_string(one.error());
  return {};
}

std::string refusal(std::string_view text) {
  const Result<Case> one = parse_case("a.case", text);
  return one ? "" : to_string(one.error());
}

constexpr std::string_view small =
    "# Shows a thing.\n"
    "# ENV: COLUMNS=60\n"
    "# RUN: profile --ncu 'my report.csv' --json\n"
    "# EXIT: 1\n"
    "--- my report.csv\n"
    "a,b\n"
    "--- stdout\n"
    "x\n";

TEST(CaseFile, ReadsDirectivesFilesAndExpectations) {
  const Case one = parsed(small);
  EXPECT_EQ(one.summary, "Shows a thing.");
  ASSERT_EQ(one.runs.size(), 1u);
  EXPECT_EQ(one.runs[0].words, (std::vector<std::string>{"profile", "--ncu", "my report.csv", "--json"}));
  EXPECT_EQ(one.runs[0].exit, 1);
  EXPECT_EQ(one.environment[0].second, "60");
  ASSERT_EQ(one.sections.size(), 2u);
  EXPECT_TRUE(is_input(one.sections[0]));
  EXPECT_EQ(one.section("stdout")->text, "x\n");
}

TEST(CaseFile, WritesWhatItRead) { EXPECT_EQ(to_text(parsed(small)), small); }

TEST(CaseFile, KeepsLinesThatLookLikeMarkers) {
  constexpr std::string_view text = "# A.\n# RUN: x\n--- stdout\n\\--- not a section\n---\n\\\\--- twice\n";
  const Case one = parsed(text);
  EXPECT_EQ(one.section("stdout")->text, "--- not a section\n---\n\\--- twice\n");
  EXPECT_EQ(to_text(one), text);
}

TEST(CaseFile, DecodesTheOptionsOfASection) {
  EXPECT_EQ(bytes_of({"a", {"crlf"}, "x\ny\n"}).value(), "x\r\ny\r\n");
  EXPECT_EQ(bytes_of({"a", {"base64"}, "AAEC\n/w==\n"}).value(), std::string("\0\1\2\xFF", 4));
  EXPECT_EQ(bytes_of({"a", {"no newline"}, "x\n"}).value(), "x");
  EXPECT_EQ(bytes_of({"a", {"utf16", "no newline"}, "\xC3\xA9\n"}).value(), std::string("\xFF\xFE\xE9\0", 4));
}

TEST(CaseFile, MakesAReportOfItsDescription) {
  const Case one = parsed("# A.\n# RUN: x\n--- r.ncu-rep (from yaml)\nlaunches:\n  - {kernel: axpy}\n");
  const std::string bytes = bytes_of(one.sections[0]).value();
  EXPECT_TRUE(bytes.starts_with(std::string_view("NVR\0", 4)));
  EXPECT_NE(bytes.find("axpy"), bytes.npos);
  EXPECT_EQ(to_string(bytes_of({"r.ncu-rep", {"from yaml"}, "kernels: []\n"}).error()), "r.ncu-rep:1: no key is called 'kernels'");
}

TEST(CaseFile, RemembersAMissingLineEnd) {
  Section section{"stdout", {}, ""};
  set_bytes(section, "x");
  EXPECT_EQ(section.text, "x\n");
  EXPECT_EQ(bytes_of(section).value(), "x");
  set_bytes(section, "x\n");
  EXPECT_TRUE(section.options.empty());
}

TEST(CaseFile, AddsAnExitCodeBelowItsRun) {
  Case one = parsed("# A.\n# RUN: x\n# RUN: y\n");
  one.runs[0].exit = 2;
  EXPECT_EQ(to_text(one), "# A.\n# RUN: x\n# EXIT: 2\n# RUN: y\n");
}

TEST(CaseFile, NamesTheLineOfWhatItDoesNotUnderstand) {
  EXPECT_EQ(refusal("# A.\n# RUN: x\n# EXPECT: 3\n"), "a.case:3: no directive is called 'EXPECT'");
  EXPECT_EQ(refusal("# A.\n# RUN: x\n--- ../../etc/passwd\n"), "a.case:3: expected a name inside the folder, found '../../etc/passwd'");
  EXPECT_EQ(refusal("# A.\n# RUN: x\n--- f (gzip)\n"), "a.case:3: no section option is called 'gzip'");
  EXPECT_EQ(refusal("# A.\n# RUN: x\n--- f\n--- f\n"), "a.case:4: a second section of this name");
  EXPECT_EQ(refusal("# RUN: x\n"), "a.case:1: expected a line that says what the case shows");
}

}  // namespace
}  // namespace frx::testing
