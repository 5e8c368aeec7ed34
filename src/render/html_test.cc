#include "render/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/render.h"

namespace frx::render {
namespace {

using answer::Document;
using answer::Item;
using answer::Table;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Html, TextOfFilesIsNoMarkup) {
  const std::string hostile = "<script>alert(1)</script>&\"'\x1b[31m";
  EXPECT_EQ(html_text(hostile), "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;\\x1b[31m");
  Document document;
  document.headline = hostile;
  document.title(hostile, hostile);
  document.section(hostile, hostile);
  document.fact(hostile, answer::as_name(hostile));
  document.hanging(hostile, hostile);
  document.command(hostile);
  document.source_line(hostile, 4);
  Table table;
  table.columns = {{.heading = hostile, .is_name = true}, {.heading = hostile}};
  table.add({hostile, hostile});
  document.add(table);
  document.add(answer::Bars{hostile, {{hostile, 0.5}}});
  const std::string html = html_of(document);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  EXPECT_THAT(html, Not(HasSubstr("'\"")));
}

TEST(Html, ItemsThatStandFurtherInAreListsInsideOfItems) {
  Document document;
  document.section("Do");
  document.add(Item{"1. [HIGH] ", "first"});
  document.add(Item{"- ", "inside", 4});
  document.add(Item{"- ", "inside, too", 4});
  document.command("ncu ./app", 6);
  document.add(Item{"2. [LOW] ", "second"});
  EXPECT_EQ(html_of(document),
            "<section class=\"first\"><h2>Do</h2>\n"
            "<ul class=\"plain\"><li><b class=\"mark \">1. [HIGH]</b>first"
            "<ul class=\"plain\"><li><b class=\"mark \">\u2022</b>inside</li>\n<li><b class=\"mark \">\u2022</b>inside, too"
            "<div class=\"command\"><pre tabindex=\"0\"><code>ncu ./app</code></pre><button type=\"button\" data-copy>Copy</button></div>\n"
            "</li></ul>\n</li>\n<li><b class=\"mark \">2. [LOW]</b>second</li></ul>\n</section>\n");
}

TEST(Html, FactsHaveNames) {
  Document document;
  document.fact("File", "a.csv");
  EXPECT_EQ(html_of(document),
            "<section class=\"first\"><h2>In short</h2>\n<ul class=\"plain\"><li><div "
            "class=\"fact\"><b>File</b><span>a.csv</span></div></li></ul>\n"
            "</section>\n");
}

TEST(Html, TheVerdictComesFirstAndFiguresBehindTheEvidence) {
  Document document;
  document.title("Analysis");
  document.fact("File", "a.csv");
  document.add(answer::Figure{"steps", "Steps", "How they went.", [](answer::JsonObject& out) { out.add("what", "</script><b>"); }});
  document.section("Metrics");
  document.section("Notes", answer::Part::closing);
  document.section("Verdict", answer::Part::verdict);
  document.section("Do", answer::Part::advice);
  const std::string html = html_of(document);
  std::size_t at = 0;
  for (const char* heading : {"Verdict", "Do", "What was analysed", "Metrics", "Steps", "Notes"}) {
    const std::size_t found = html.find(std::string("<h2>") + heading);
    ASSERT_NE(found, std::string::npos) << heading;
    EXPECT_GT(found, at) << heading;
    at = found;
  }
  // Numbers cannot leave their block.
  EXPECT_THAT(html, HasSubstr(R"(<script type="application/json">{"what":"\u003c/script>\u003cb>"}</script>)"));
}

TEST(Html, WhatAFigureShowsBetterIsForReadersWithoutScripts) {
  Document document;
  document.add(answer::Section{"Steps in text", "", true, answer::Part::evidence, "steps"});
  document.add(answer::Section{"Ranks in text", "", true, answer::Part::evidence, "ranks"});
  document.add(answer::Figure{"steps", "Steps", "", [](answer::JsonObject&) {}});
  const std::string html = html_of(document);
  // A program that was built without the script shows both.
  if (page_problem().empty()) EXPECT_THAT(html, HasSubstr("<noscript><section><h2>Steps in text</h2>"));
  EXPECT_THAT(html, HasSubstr("<section class=\"first\"><h2>Ranks in text</h2>"));
}

TEST(Html, ValuesOpenWhereTheyWereRead) {
  Document document;
  document.section("Metrics");
  Table table{{{"metric", 10}, {"value", 9}}};
  answer::Cell value("12.0 %");
  value.source = "a.csv:7 <1 of 3 launches>";
  table.add({"DRAM", value});
  document.add(table);
  EXPECT_THAT(html_of(document), HasSubstr("<details class=\"why\"><summary>12.0 %</summary>a.csv:7 &lt;1 of 3 launches&gt;</details>"));
}

TEST(Html, PagesCarryAllThatTheyNeed) {
  answer::Answer answer;
  answer.document = [](answer::Detail) {
    Document document;
    document.headline = "All is well";
    return document;
  };
  std::string page;
  ASSERT_TRUE(render(answer, "html", {}, [&](std::string_view part) { page += part; }));
  EXPECT_THAT(page, StartsWith("<!doctype html>\n<html lang=\"en\">"));
  EXPECT_THAT(page, EndsWith("</html>\n"));
  EXPECT_THAT(page, HasSubstr("<title>frx: All is well</title>"));
  const std::string markup =
      page.substr(0, page.find("<style>")) + page.substr(page.find("</style>"), page.find("<script>") - page.find("</style>"));
  for (const char* from_elsewhere : {"http:", "https:", "src=", "href="}) EXPECT_THAT(markup, Not(HasSubstr(from_elsewhere)));
  for (const char* from_elsewhere : {"@import", "url("}) EXPECT_THAT(std::string(page_style()), Not(HasSubstr(from_elsewhere)));
  // What the policy allows by their hashes is in it as it is.
  EXPECT_THAT(page, HasSubstr("<style>" + std::string(page_style()) + "</style>"));
  EXPECT_THAT(page, HasSubstr("<script>" + std::string(page_script()) + "</script>"));
  EXPECT_LT(page.size(), 3'000'000u);
}

}  // namespace
}  // namespace frx::render
