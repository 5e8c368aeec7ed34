#include "compose/markdown.h"

#include <gtest/gtest.h>

namespace frx::compose {
namespace {

TEST(Markdown, NothingInANameIsMarkup) {
  EXPECT_EQ(markdown_text("plain words, 12 %"), "plain words, 12 %");
  EXPECT_EQ(markdown_text("__global__ <img src=x> [a](b) a|b"), R"(\_\_global\_\_ \<img src=x> \[a\](b) a\|b)");
  EXPECT_EQ(markdown_text("> a -> b"), "\\> a -> b");
  EXPECT_EQ(markdown_text("two\nlines").find('\n'), std::string::npos);
}

TEST(Markdown, CodeCannotBeLeft) {
  EXPECT_EQ(markdown_code("gemm<float>"), "`gemm<float>`");
  EXPECT_EQ(markdown_code("a`b"), "`` a`b ``");
  EXPECT_EQ(markdown_code("a|b"), R"(`a\|b`)");
  EXPECT_EQ(markdown_code(""), "");
}

TEST(Markdown, ATableHasARule) {
  EXPECT_EQ(markdown_head({"part", "A", "B"}) + markdown_row({"x", "1", "2"}), "| part | A | B |\n|---|---:|---:|\n| x | 1 | 2 |\n");
  EXPECT_EQ(markdown_head({"a", "b"}, false), "| a | b |\n|---|---|\n");
}

}  // namespace
}  // namespace frx::compose
