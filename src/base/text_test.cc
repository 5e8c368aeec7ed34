#include "base/text.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

using Texts = std::vector<std::string>;

TEST(Trim, RemovesBlanksOfAllKindsAtBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Join, PutsTheSeparatorBetweenOnly) {
  EXPECT_EQ(join(Texts{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(Texts{}, ", "), "");
}

TEST(Pad, CountsCellsNotBytes) {
  EXPECT_EQ(pad_right("\u00e4", 3), "\u00e4  ");
  EXPECT_EQ(pad_left("\u00e4", 3), "  \u00e4");
  EXPECT_EQ(pad_left("long", 3), "long");
}

TEST(Clip, CutsBetweenCharacters) {
  EXPECT_EQ(clip("abcdef", 6), "abcdef");
  EXPECT_EQ(clip("abcdefg", 6), "abc...");
  EXPECT_EQ(clip("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4", 6), "\u00e4\u00f6\u00fc...");
}

TEST(EqualsIgnoringCase, ComparesTheWholeText) {
  EXPECT_TRUE(equals_ignoring_case("NaN", "nan"));
  EXPECT_FALSE(equals_ignoring_case("nan", "nano"));
}

TEST(ContainsIgnoringCase, FindsAPartAnywhere) {
  EXPECT_TRUE(contains_ignoring_case("Kernel Name", "NAME"));
  EXPECT_TRUE(contains_ignoring_case("aab", "AB"));
  EXPECT_TRUE(contains_ignoring_case("", ""));
  EXPECT_FALSE(contains_ignoring_case("Kernel", "kernels"));
  EXPECT_FALSE(contains_ignoring_case("ker", "r-"));
}

TEST(DisplayWidth, CountsCharactersAndNotBytes) { EXPECT_EQ(display_width("aµ∑"), 3u); }

TEST(Shorten, CutsTheMiddle) {
  EXPECT_EQ(shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten("abcdefghijk", 9), "abcd...jk");
  EXPECT_EQ(shorten("abc", 2), "..");
}

TEST(Shorten, NeverCutsInsideACharacter) {
  const std::string cut = shorten("µµµµµµµµµµ", 7);
  EXPECT_EQ(display_width(cut), 7u);
  EXPECT_EQ(printable(cut), cut);
}

TEST(Wrap, BreaksBetweenWords) { EXPECT_EQ(wrap("one two  three four", 9), (Texts{"one two", "three", "four"})); }

TEST(Wrap, GivesALongWordItsOwnLine) { EXPECT_EQ(wrap("a incomprehensible b", 5), (Texts{"a", "incomprehensible", "b"})); }

TEST(Nearest, FindsTheTypingMistake) {
  const std::vector<std::string_view> words = {"dram_bytes", "kernel_duration", "grid_size"};
  EXPECT_EQ(nearest("kernel_duraton", words), "kernel_duration");
  EXPECT_EQ(nearest("zzzzzz", words), "");
}

TEST(ShellQuote, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(shell_quote("./app"), "./app");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("two words"), "'two words'");
  EXPECT_EQ(shell_quote("$HOME;`id`"), "'$HOME;`id`'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
}

TEST(ReadableSymbol, IsWhatPeopleSay) {
  EXPECT_EQ(readable_symbol("_Z5heavyPKfPf"), "heavy");
  EXPECT_EQ(readable_symbol("_Z5saxpyIdEviT_PKS0_PS0_"), "saxpy");
  EXPECT_EQ(readable_symbol("_ZN3cub6ReduceIfEEvPT_"), "cub::Reduce");
  EXPECT_EQ(readable_symbol("_ZN12_GLOBAL__N_14copyEPf"), "copy");
}

TEST(ReadableSymbol, LeavesOtherNamesAlone) {
  for (const char* name : {"", "copy", "_Z", "_Zxyz", "_Z99short", "_ZN", "triton_poi_0d1d"}) EXPECT_EQ(readable_symbol(name), name);
}

}  // namespace
}  // namespace frx
