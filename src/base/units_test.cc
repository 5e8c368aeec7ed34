#include "base/units.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

double scale_of(std::string_view text) {
  const std::optional<Unit> unit = parse_unit(text);
  EXPECT_TRUE(unit) << text;
  return unit ? unit->scale : 0;
}

std::string dimension_of(std::string_view text) {
  const std::optional<Unit> unit = parse_unit(text);
  return unit ? to_string(unit->dimension) : "unknown";
}

TEST(ParseUnit, ReadsBothVocabulariesOfTimeAsNanoseconds) {
  EXPECT_EQ(scale_of("nsecond"), 1);
  EXPECT_EQ(scale_of("usecond"), 1e3);
  EXPECT_EQ(scale_of("us"), 1e3);
  EXPECT_EQ(scale_of("msecond"), 1e6);
  EXPECT_EQ(scale_of("ms"), 1e6);
  EXPECT_EQ(scale_of("second"), 1e9);
}

TEST(ParseUnit, CountsPrefixesInThousands) {
  EXPECT_EQ(scale_of("Kbyte"), 1e3);
  EXPECT_EQ(scale_of("Gbyte"), 1e9);
  EXPECT_EQ(scale_of("KB"), 1e3);
}

TEST(ParseUnit, GivesTheSameRateToBothSpellings) {
  EXPECT_EQ(parse_unit("Gbyte/second")->dimension, parse_unit("byte/ns")->dimension);
  EXPECT_DOUBLE_EQ(scale_of("Gbyte/second"), 1);
  EXPECT_DOUBLE_EQ(scale_of("Tbyte/s"), 1000);
}

TEST(ParseUnit, TakesHertzForCyclesPerSecond) {
  EXPECT_EQ(parse_unit("Ghz")->dimension, parse_unit("cycle/nsecond")->dimension);
  EXPECT_DOUBLE_EQ(scale_of("Ghz"), scale_of("cycle/nsecond"));
  EXPECT_DOUBLE_EQ(scale_of("hz"), scale_of("cycle/second"));
  EXPECT_DOUBLE_EQ(scale_of("Mhz"), scale_of("cycle/usecond"));
}

TEST(ParseUnit, KeepsAPercentageApartFromAPlainNumber) {
  EXPECT_EQ(dimension_of("%"), "%");
  EXPECT_EQ(dimension_of(""), "");
  EXPECT_FALSE(parse_unit("%")->dimension == Dimension{});
}

TEST(ParseUnit, TakesTheWordsForNoUnitAsAPlainNumber) {
  for (const std::string_view text : {"", "##", "(none)", "ratio", "count"}) {
    EXPECT_TRUE(parse_unit(text) && parse_unit(text)->dimension.is_plain_number()) << text;
  }
}

TEST(ParseUnit, ReadsPerBlockAndPerThread) {
  EXPECT_EQ(dimension_of("Kbyte/block"), "byte/block");
  EXPECT_EQ(dimension_of("register/thread"), "register/thread");
}

TEST(ParseUnit, DoesNotGuess) {
  for (const std::string_view text : {"Mb", "furlong", "byte/", "/s", "K", "Gsecond", "K%", "byte/s/s"}) {
    EXPECT_EQ(parse_unit(text), std::nullopt) << text;
  }
}

TEST(Dimension, MultipliesAndDivides) {
  const Dimension byte = parse_unit("byte")->dimension, ns = parse_unit("ns")->dimension;
  EXPECT_EQ(byte / ns, parse_unit("byte/ns")->dimension);
  EXPECT_EQ((byte / ns) * ns, byte);
  EXPECT_EQ(to_string(byte / ns), "byte/ns");
  EXPECT_EQ(to_string(Dimension{} / ns), "1/ns");
}

TEST(FormatQuantity, ChoosesAReadablePrefix) {
  EXPECT_EQ(format_quantity(1234567, "ns"), "1.23 ms");
  EXPECT_EQ(format_quantity(9.1e11, "byte/s"), "910 GB/s");
  EXPECT_EQ(format_quantity(48000, "byte/block"), "48 KB/block");
  EXPECT_EQ(format_quantity(1.41e9, "hz"), "1.41 GHz");
}

TEST(FormatQuantity, ShowsPercentWithOneDecimal) { EXPECT_EQ(format_quantity(92.25, "%"), "92.2 %"); }

TEST(FormatQuantity, AppendsAnUnknownUnitAsItIs) { EXPECT_EQ(format_quantity(12, "warp"), "12 warp"); }

TEST(FormatNumber, SeparatesThousands) {
  EXPECT_EQ(format_number(1234567), "1,234,567");
  EXPECT_EQ(format_number(-1234), "-1,234");
}

TEST(FormatNumber, KeepsTheDigitsThatMatter) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(12.5), "12.5");
  EXPECT_EQ(format_number(123.456), "123.5");
  EXPECT_EQ(format_number(0.1234), "0.123");
  EXPECT_EQ(format_number(0.00001), "1e-05");
}

}  // namespace
}  // namespace frx
