#include "render/markdown.h"

#include <gtest/gtest.h>

namespace frx::render {
namespace {

using answer::as_name;
using answer::Document;
using answer::Status;
using answer::Table;
using answer::Tone;

TEST(Markdown, NothingInANameIsMarkup) {
  EXPECT_EQ(markdown_text("plain words, 12 %"), "plain words, 12 %");
  EXPECT_EQ(markdown_text("__global__ <img src=x> [a](b) a|b"), R"(\_\_global\_\_ \<img src=x> \[a\](b) a\|b)");
  EXPECT_EQ(markdown_text("> a -> b"), "\\> a -> b");
  EXPECT_EQ(markdown_text("two\nlines").find('\n'), std::string::npos);
}

TEST(Markdown, NoSentenceBeginsAList) {
  EXPECT_EQ(markdown_text("- a"), "\\- a");
  EXPECT_EQ(markdown_text("12. of May"), "12\\. of May");
  EXPECT_EQ(markdown_text("0.93 of it"), "0.93 of it");
}

TEST(Markdown, CodeCannotBeLeft) {
  EXPECT_EQ(markdown_code("gemm<float>"), "`gemm<float>`");
  EXPECT_EQ(markdown_code("a`b"), "`` a`b ``");
  EXPECT_EQ(markdown_code("a|b"), "`a|b`");
  EXPECT_EQ(markdown_code(R"(a\|<b>)", true), R"(a\\\|\<b>)");  // where the pair of backslashes could be taken for one
  EXPECT_EQ(markdown_code("a|b", true), R"(`a\|b`)");           // a table is cut into cells before code is looked for
  EXPECT_EQ(markdown_code(""), "");
}

TEST(Markdown, ATableHasARule) {
  Table table{{{"name", 6, false, 2, true}, {"time", 5, true}, {"", 4}, {"never told", 3}}};
  table.add({"a|b", "1 ms", Status::critical, ""});
  table.add({"c", "2 ms", Status::ok, ""}, Tone::red);
  Document page;
  page.section("Times", "(both)");
  page.add(std::move(table));
  EXPECT_EQ(markdown_of(page),
            "#### Times (both)\n\n"
            "| name | time |  |\n|---|---:|---|\n"
            "| `a\\|b` | 1 ms | **bad** |\n| **`c`** | **2 ms** | ok |\n");
}

TEST(Markdown, WhatStandsFurtherInBelongsToTheItemAbove) {
  Document page;
  page.paragraph("A sentence.");
  page.hanging(" 1. [HIGH] ", "Pad the array", 1, Tone::red, Tone::bold);
  page.paragraph("Do:", 5);
  page.hanging("- ", "so", 7);
  page.command("ncu `x` ./app", 7);
  page.hanging("Why   : ", as_name("kernel") + " waits", 5);
  page.blank();
  page.hanging(" 2. ", "Else", 1);
  page.paragraph("Another sentence.");
  EXPECT_EQ(markdown_of(page),
            "A sentence.\n\n"
            "1. **\\[HIGH\\] Pad the array**\n"
            "   - Do:\n"
            "     - so\n"
            "     ```sh\n"
            "     ncu `x` ./app\n"
            "     ```\n"
            "   - **Why:** `kernel` waits\n"
            "2. Else\n"
            "   - Another sentence.\n");
}

TEST(Markdown, TheHeadlineTakesThePlaceOfTheTitle) {
  Document page;
  page.headline = "B is faster";
  page.title("FRX comparison");
  page.fact("File", as_name("a_b.cu"));
  EXPECT_EQ(markdown_of(page), "### frx: B is faster\n\n- **File:** `a_b.cu`\n");
  page.headline.clear();
  EXPECT_EQ(markdown_of(page), "### FRX comparison\n\n- **File:** `a_b.cu`\n");
}

TEST(Markdown, BarsAreDrawn) {
  Document page;
  page.add(answer::Bars{"part of a step", {{"computing", 0.08, Tone::green}}});
  EXPECT_EQ(markdown_of(page), "| part of a step | share |  |\n|---|---:|---|\n| computing | 8.0 % | \u2588\u2588 |\n");
}

}  // namespace
}  // namespace frx::render
