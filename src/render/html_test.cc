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
  EXPECT_EQ(html_of(document), "<ul class=\"plain\"><li><div class=\"fact\"><b>File</b><span>a.csv</span></div></li></ul>\n");
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
  for (const char* from_elsewhere : {"http:", "https:", "src=", "href=", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(from_elsewhere)));
  // What the policy allows by their hashes is in it as it is.
  EXPECT_THAT(page, HasSubstr("<style>" + std::string(page_style()) + "</style>"));
  EXPECT_THAT(page, HasSubstr("<script>" + std::string(page_script()) + "</script>"));
  EXPECT_LT(page.size(), 20'000u);
}

}  // namespace
}  // namespace frx::render
