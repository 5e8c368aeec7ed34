#include "base/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words(std::string_view text) { return shell_words(text).value_or(std::vector<std::string>{"(refused)"}); }

TEST(ShellWords, BlanksPartThemAndQuotesHoldThem) {
  EXPECT_THAT(words("-O3  -Iinclude\t-DN=4"), ElementsAre("-O3", "-Iinclude", "-DN=4"));
  EXPECT_THAT(words("-DTEXT='a b' \"c d\" e\\ f"), ElementsAre("-DTEXT=a b", "c d", "e f"));
  EXPECT_THAT(words("''"), ElementsAre(""));
  EXPECT_THAT(words("  "), IsEmpty());
}

TEST(ShellWords, ABackslashIsItselfInSingleQuotes) {
  EXPECT_THAT(words("'a\\b' \"a\\\"b\""), ElementsAre("a\\b", "a\"b"));
  EXPECT_THAT(words("end\\"), ElementsAre("end\\"));
}

TEST(ShellWords, AnOpenQuoteIsRefused) {
  EXPECT_FALSE(shell_words("'a"));
  EXPECT_FALSE(shell_words("a\""));
}

}  // namespace
}  // namespace frx
