#include "base/numbers.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace frx {
namespace {

TEST(ParseNumber, ReadsGroupsAndADecimalPoint) {
  EXPECT_EQ(parse_number("1,234,567.5", NumberStyle::point), 1234567.5);
  EXPECT_EQ(parse_number("1234567.5", NumberStyle::point), 1234567.5);
}

TEST(ParseNumber, ReadsGroupsAndADecimalComma) {
  EXPECT_EQ(parse_number("1.234.567,5", NumberStyle::comma), 1234567.5);
  EXPECT_EQ(parse_number("0,25", NumberStyle::comma), 0.25);
}

TEST(ParseNumber, ReadsBlanksBetweenGroupsInBothStyles) {
  EXPECT_EQ(parse_number("24 605 318", NumberStyle::point), 24605318);
  EXPECT_EQ(parse_number("20 417 963,30", NumberStyle::comma), 20417963.3);
  EXPECT_EQ(parse_number("1\xC2\xA0"
                         "234,5",
                         NumberStyle::comma),
            1234.5);
  EXPECT_EQ(parse_number("1\xE2\x80\xAF"
                         "234,5",
                         NumberStyle::comma),
            1234.5);
  EXPECT_EQ(parse_number("1'234.5", NumberStyle::point), 1234.5);
}

TEST(ParseNumber, RefusesGroupsThatAreNotThreeDigits) {
  for (const std::string_view text : {"1,23", "12,34,567", "1,2345", "1234,567", "1,", ",5"}) {
    EXPECT_EQ(parse_number(text, NumberStyle::point), std::nullopt) << text;
  }
}

TEST(ParseNumber, RefusesWhatIsNotWhollyANumber) {
  for (const std::string_view text :
       {"", " ", "-", "n/a", "nan", "-nan", "inf", "-inf", "Low (1)", "12 %", "1.5us", "0x10", "1.2.3", "1e999"}) {
    EXPECT_EQ(parse_number(text, NumberStyle::point), std::nullopt) << text;
  }
}

TEST(ParseNumber, ReadsSignsAndExponents) {
  EXPECT_EQ(parse_number("-1,234.5", NumberStyle::point), -1234.5);
  EXPECT_EQ(parse_number("1.5e+06", NumberStyle::point), 1.5e6);
  EXPECT_EQ(parse_number("1,5e-2", NumberStyle::comma), 0.015);
}

TEST(ParseNumber, IgnoresBlanksAround) { EXPECT_EQ(parse_number("  7.5 ", NumberStyle::point), 7.5); }

NumberEvidence evidence(std::initializer_list<std::string_view> texts) {
  NumberEvidence result;
  for (const std::string_view text : texts) result.look_at(text);
  return result;
}

TEST(NumberEvidence, IsSilentAboutThreeDigitsAfterOneSign) {
  const NumberEvidence seen = evidence({"1,234", "1.234", "42", "(32, 1, 1)", "n/a", "2022-03-01"});
  EXPECT_FALSE(seen.proves_point());
  EXPECT_FALSE(seen.proves_comma());
  EXPECT_EQ(seen.style(), NumberStyle::point);
}

TEST(NumberEvidence, IsProvedByAFractionThatIsNoGroup) {
  EXPECT_TRUE(evidence({"12.5"}).proves_point());
  EXPECT_TRUE(evidence({"12,5"}).proves_comma());
  EXPECT_TRUE(evidence({"0,125"}).proves_comma());
  EXPECT_TRUE(evidence({"-0.125"}).proves_point());
  EXPECT_TRUE(evidence({"1234.567"}).proves_point());
}

TEST(NumberEvidence, IsProvedByARepeatedGroupSign) {
  EXPECT_TRUE(evidence({"1,234,567"}).proves_point());
  EXPECT_TRUE(evidence({"1.234.567"}).proves_comma());
}

TEST(NumberEvidence, IsProvedByTheLaterOfTwoSigns) {
  EXPECT_TRUE(evidence({"1,234.567"}).proves_point());
  EXPECT_TRUE(evidence({"1.234,567"}).proves_comma());
}

TEST(NumberEvidence, LooksThroughBlanksOfAllKinds) {
  EXPECT_TRUE(evidence({"20 417,30"}).proves_comma());
  EXPECT_TRUE(evidence({"20\xC2\xA0"
                        "417,30"})
                  .proves_comma());
  EXPECT_TRUE(evidence({"20'417.30"}).proves_point());
}

TEST(NumberEvidence, NoticesAContradiction) {
  const NumberEvidence seen = evidence({"12.5", "12,5"});
  EXPECT_TRUE(seen.is_contradictory());
  EXPECT_EQ(seen.style(), NumberStyle::point);
}

}  // namespace
}  // namespace frx
