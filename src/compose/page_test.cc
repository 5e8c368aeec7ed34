#include "compose/page.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace frx::compose {
namespace {

TEST(Style, PaintsOnlyWithColour) {
  EXPECT_EQ(paint({.colour = false}, Tone::red, "x"), "x");
  EXPECT_EQ(paint({.colour = true}, Tone::red, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(paint({.colour = true}, Tone::plain, "x"), "x");
}

TEST(Style, BadgesAreTheDocumentedOnes) {
  EXPECT_EQ(badge(Status::critical), "[!!]");
  EXPECT_EQ(badge(Status::warning), "[ !]");
  EXPECT_EQ(badge(Status::ok), "[ok]");
  EXPECT_EQ(badge(Status::missing), "[--]");
}

TEST(Page, ClipKeepsTheBeginning) {
  EXPECT_EQ(clip("abcdef", 6), "abcdef");
  EXPECT_EQ(clip("abcdefg", 6), "abc...");
  EXPECT_EQ(clip("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4", 6), "\u00e4\u00f6\u00fc...");
}

TEST(Page, WrapCutsWordsThatDoNotFit) {
  EXPECT_EQ(wrap_within("aaaa,bbbb,cccc", 11), (std::vector<std::string>{"aaaa,bbbb,", "cccc"}));
  EXPECT_EQ(wrap_within("xxxxxxxxxxxxxxxxxxxx", 12), (std::vector<std::string>{"xxxxxxxxxxxx", "xxxxxxxx"}));
}

TEST(Page, ANumberKeepsItsUnit) {
  EXPECT_EQ(wrap_within("it is 37 % of it", 9), (std::vector<std::string>{"it is", "37 % of", "it"}));
  EXPECT_EQ(wrap_within("at most 12.5 ms of it", 12), (std::vector<std::string>{"at most", "12.5 ms of", "it"}));
}

TEST(Page, HangingTextStandsBesideItsHead) {
  Page page({.width = 40});
  page.hanging("Why: ", "one two three four five six seven eight");
  EXPECT_EQ(page.take(), "  Why: one two three four five six seven\n       eight\n");
}

TEST(Page, NoTextNoLine) {
  Page page({});
  page.hanging("Note: ", "");
  EXPECT_EQ(page.take(), "");
}

TEST(Page, EscapesOfFilesDoNotReachTheTerminal) {
  Page page({});
  page.paragraph("a\x1b[31mb\r\nc");
  page.command("ncu \x1b]0;title\x07 ./app");
  const std::string text = page.take();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(Page, TheHeadIsMeasuredWithoutItsPaint) {
  Page plain({.width = 40});
  Page colour({.width = 40, .colour = true});
  const std::string text = "one two three four five six seven eight nine";
  plain.hanging("Head: ", text);
  colour.hanging("Head: ", text, 2, Tone::red);
  const std::string painted = colour.take(), bare = plain.take();
  EXPECT_EQ(split(painted, '\n').size(), split(bare, '\n').size());
}

}  // namespace
}  // namespace frx::compose
