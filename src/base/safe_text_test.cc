#include "base/safe_text.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

using namespace std::string_literals;

TEST(Printable, ShowsWhatATerminalWouldActOn) {
  EXPECT_EQ(printable("a\x1B[31mb\x07"), "a\\x1b[31mb\\x07");
  EXPECT_EQ(printable("a\0b\x7F"s), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");  // a C1 control in UTF-8
}

TEST(Printable, ShowsWhatAReaderCannotSee) {
  EXPECT_EQ(printable("x\u202Ey"), "x\\u202ey");               // right-to-left override
  EXPECT_EQ(printable("x\u2067y"), "x\\u2067y");               // right-to-left isolate
  EXPECT_EQ(printable("x\u200By\uFEFF"), "x\\u200by\\ufeff");  // without width
  EXPECT_EQ(printable("x\U000E0041"), "x\\U000e0041");         // a tag
  EXPECT_EQ(printable("x\uFE01"), "x\\ufe01");                 // a variation selector
}

TEST(Printable, PutsANameOnOneLine) { EXPECT_EQ(printable("a\tb\r\nc"), "a b  c"); }

TEST(Printable, ReplacesInvalidUtf8) {
  EXPECT_EQ(printable("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(printable("\xC3"), "\xEF\xBF\xBD");
}

TEST(Printable, KeepsValidUtf8) { EXPECT_EQ(printable("µ-Kernel ∑ 核"), "µ-Kernel ∑ 核"); }

TEST(Printable, ChangesNothingTheSecondTime) {
  for (const std::string& text : {"a\x1B[31mb\x07"s, "x\u202Ey"s, "a\xFFz"s, "a\tb"s})
    EXPECT_EQ(printable(printable(text)), printable(text));
}

TEST(SafeText, KeepsLinesAndTabs) { EXPECT_EQ(safe_text("a\n\tb\nµ\n"), "a\n\tb\nµ\n"); }

TEST(SafeText, ShowsTheRestAsEscapes) {
  EXPECT_EQ(safe_text("a\r\x1b[2J\x1b[31mb\u202E\xFF"), "a\\x0d\\x1b[2J\\x1b[31mb\\u202e\xEF\xBF\xBD");
}

TEST(SafeText, ShowsAnEscapeWhereverItStandsInALongText) {
  for (std::size_t at = 0; at <= 200; ++at) {
    std::string text(200, 'x'), shown = text;
    text.insert(at, "\x1b");
    shown.insert(at, "\\x1b");
    EXPECT_EQ(safe_text(text), shown) << at;
  }
}

std::string in_pieces(SafeText safe, std::string_view text, std::size_t size) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); at += size) result += safe.show(text.substr(at, size));
  result += safe.rest();
  return result;
}

TEST(SafeText, KeepsItsOwnColoursAndNoOthers) {
  SafeText safe;
  safe.allow_colours(true);
  for (std::size_t size = 1; size < 12; ++size) {
    EXPECT_EQ(in_pieces(safe, "\x1b[31mred\x1b[0m \x1b[8mhidden\x1b]0;title\x07\x1b", size),
              "\x1b[31mred\x1b[0m \\x1b[8mhidden\\x1b]0;title\\x07\\x1b");
  }
}

TEST(SafeText, IsTheSameInAnyPieces) {
  const std::string text = "µ∑核\U0001F600\u202E\xE2\x80\xF0\x9F\xFF\xC3";
  for (std::size_t size = 1; size < 12; ++size) EXPECT_EQ(in_pieces({}, text, size), safe_text(text)) << size;
}

TEST(SafeText, GivesABuildServiceNoCommands) {
  const auto shown = [](BuildService service, std::string_view text) {
    SafeText safe;
    safe.run_by(service);
    const std::string whole = in_pieces(safe, text, 1000);
    for (std::size_t size = 1; size < 6; ++size) EXPECT_EQ(in_pieces(safe, text, size), whole);
    return whole;
  };
  EXPECT_EQ(shown(BuildService::github, "::error::x\n  \t::set-output\na::b\n:: "),
            "\\u003a:error::x\n  \t\\u003a:set-output\na::b\n\\u003a: ");
  // The service skips all white space before a command, not that of ASCII alone.
  for (const std::string blank : {"\u00A0", "\u1680", "\u2003", "\u202F", "\u205F", "\u3000"}) {
    EXPECT_EQ(shown(BuildService::github, " " + blank + "::error::x"), " " + blank + "\\u003a:error::x");
  }
  EXPECT_EQ(shown(BuildService::github, "\u00B7::error::x"), "\u00B7::error::x");
  EXPECT_EQ(shown(BuildService::github, "a ##[group]x ##vso["), "a #\\u0023[group]x ##vso[");
  EXPECT_EQ(shown(BuildService::azure, "a ##vso[task.setvariable]x"), "a #\\u0023vso[task.setvariable]x");
  EXPECT_EQ(shown(BuildService::teamcity, "##teamcity[x]"), "#\\u0023teamcity[x]");
  EXPECT_EQ(shown(BuildService::github, "a:b #1 :x\n:y\n:"), "a:b #1 :x\n:y\n:");
  EXPECT_EQ(shown(BuildService::none, "::error::x ##[group]"), "::error::x ##[group]");
}

}  // namespace
}  // namespace frx
