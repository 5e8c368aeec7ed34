#include <gtest/gtest.h>

#include "base/text.h"
#include "render/style.h"

namespace frx::render {
namespace {

using answer::as_name;
using answer::Document;
using answer::Fit;
using answer::Status;
using answer::Table;
using answer::Tone;

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

TEST(Text, WrapCutsWordsThatDoNotFit) {
  EXPECT_EQ(wrap_within("aaaa,bbbb,cccc", 11), (std::vector<std::string>{"aaaa,bbbb,", "cccc"}));
  EXPECT_EQ(wrap_within("xxxxxxxxxxxxxxxxxxxx", 12), (std::vector<std::string>{"xxxxxxxxxxxx", "xxxxxxxx"}));
}

TEST(Text, ANumberKeepsItsUnit) {
  EXPECT_EQ(wrap_within("it is 37 % of it", 9), (std::vector<std::string>{"it is", "37 % of", "it"}));
  EXPECT_EQ(wrap_within("at most 12.5 ms of it", 12), (std::vector<std::string>{"at most", "12.5 ms of", "it"}));
}

TEST(Text, HangingTextStandsBesideItsHead) {
  Document page;
  page.hanging("Why: ", "one two three four five six seven eight");
  EXPECT_EQ(text_of(page, {.width = 40}), "  Why: one two three four five six seven\n       eight\n");
}

TEST(Text, NoTextNoLine) {
  Document page;
  page.hanging("Note: ", "");
  EXPECT_EQ(text_of(page, {}), "");
}

TEST(Text, EscapesOfFilesDoNotReachTheTerminal) {
  Document page;
  page.paragraph("a\x1b[31mb\r\nc");
  page.title("It", "a\x1b[31mb");
  page.source_line("a\x1b[31mb", 2);
  page.command("ncu \x1b]0;title\x07 ./app");
  page.add(Table{{{"", 8}}, {{{"a\x1b[31mb"}}}});
  const std::string text = text_of(page, {});
  for (const char c : {'\x1b', '\r', '\x07'}) EXPECT_EQ(text.find(c), std::string::npos);
}

TEST(Text, TheHeadIsMeasuredWithoutItsPaint) {
  Document page;
  page.hanging("Head: ", "one two three four five six seven eight nine", 2, Tone::red);
  EXPECT_EQ(split(text_of(page, {.width = 40}), '\n').size(), split(text_of(page, {.width = 40, .colour = true}), '\n').size());
}

TEST(Text, ANameIsCutToWhatItsLineHasRoomFor) {
  Document page;
  page.hanging("In ", as_name(std::string(60, 'k'), Fit::cut) + " (sm_90)");
  EXPECT_EQ(text_of(page, {.width = 40}), "  In " + std::string(24, 'k') + "... (sm_90)\n");
  page = {};
  page.paragraph(as_name(std::string(60, 'a') + std::string(60, 'z'), Fit::shorten));
  EXPECT_EQ(text_of(page, {.width = 40}), "  " + std::string(24, 'a') + "..." + std::string(11, 'z') + "\n");
}

TEST(Text, AScoreIsABar) {
  const auto bar = [](double score) {
    Document page;
    page.add(answer::Item{"x ", "text", 0, Tone::plain, Tone::plain, score});
    return text_of(page, {});
  };
  EXPECT_EQ(bar(0), "[          ] x text\n");
  EXPECT_EQ(bar(0.93), "[######### ] x text\n");
  EXPECT_EQ(bar(0.3), "[###       ] x text\n");
  EXPECT_EQ(bar(7), "[##########] x text\n");
}

Table small_table() {
  Table table{{{"name", 6}, {"time", 5, true}, {"what it means"}}};
  table.add({"a", "1 ms", "few words that are more than there is room for"});
  return table;
}

TEST(Text, TheLastColumnWraps) {
  Document page;
  page.add(small_table());
  EXPECT_EQ(text_of(page, {.width = 40}),
            "  name     time  what it means\n"
            "  a        1 ms  few words that are more\n"
            "                 than there is room for\n");
}

TEST(Text, WhatIsTooWideForItsColumnMovesTheLastOneDown) {
  Table table = small_table();
  table.rows[0].cells[1] = "too wide";
  table.columns[2].heading.clear();
  Document page;
  page.add(std::move(table));
  EXPECT_EQ(text_of(page, {.width = 40}),
            "  name     time\n"
            "  a       too wide\n"
            "                 few words that are more\n"
            "                 than there is room for\n");
}

TEST(Text, AColumnMayStandBelowItsRow) {
  Table table{{{"time", 5, true}, {"kernel", 0, false, 2, true, Fit::cut, Tone::plain, 4}}};
  table.add({"1 ms", std::string(60, 'k')});
  table.add({"2 ms", ""});
  Document page;
  page.add(std::move(table));
  EXPECT_EQ(text_of(page, {.width = 40}), "   time\n   1 ms\n    " + std::string(33, 'k') + "...\n   2 ms\n");
}

}  // namespace
}  // namespace frx::render
