#include "ingest/quoted_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/numbers.h"

namespace frx::ingest {
namespace {

using Reader = decltype(&read_quoted_numbers);

// What a reader of tables learns of the fields: those that are not read at once are read by the general conversion.
std::optional<std::vector<std::optional<double>>> fields_by(Reader reader, const std::string& row, std::size_t count) {
  const std::string padded = row + std::string(quoted_numbers_padding, '"');
  std::vector<double> numbers(count);
  std::vector<OtherField> others;
  if (!reader(padded.data(), padded.data() + row.size(), count, numbers.data(), others)) return std::nullopt;
  std::vector<std::optional<double>> fields(numbers.begin(), numbers.end());
  for (const OtherField& other : others) {
    EXPECT_TRUE(std::isnan(numbers[other.index]));
    fields[other.index] = parse_number(other.text, NumberStyle::point);
  }
  return fields;
}

TEST(QuotedNumbers, AreThoseOfTheGeneralConversion) {
  for (const char* text : {"0",
                           "7",
                           "12.5",
                           "1,234",
                           "1,234.56",
                           "12,345,678.9",
                           "123,456,789,012",
                           "999,999,999.99",
                           "5.",
                           ".5",
                           "0.001",
                           "123456789012345",
                           "",
                           ".",
                           ",",
                           "1,23",
                           "1234,567",
                           ",123",
                           "1,2345",
                           "1.2.3",
                           "1,234,56",
                           "12,34.5",
                           "-3",
                           "1e5",
                           "n/a",
                           "(!) nan",
                           "1234567890123456",
                           "12345678901234567890",
                           "1,234.5678",
                           "4 567",
                           "100,000,000,000,000",
                           "9007199254740993"}) {
    const std::string row = fmt::format("\"{}\"", text);
    const auto fields = fields_by(read_quoted_numbers, row, 1);
    ASSERT_TRUE(fields) << row;
    EXPECT_EQ(fields->front(), parse_number(text, NumberStyle::point)) << row;
  }
}

TEST(QuotedNumbers, RowsThatAreNotOfQuotedFieldsAreRefused) {
  for (const Reader reader : {read_quoted_numbers, read_quoted_numbers_plainly}) {
    for (const char* row :
         {"", "\"", "\"1\"", "\"1\",", "\"1\",\"2", "\"1\",2", "\"1\"\"2\"", "\"1\",\"2\",\"3\"", "\"1\";\"2\"", "\"1\",\"2\"x", "1,2"}) {
      EXPECT_FALSE(fields_by(reader, row, 2)) << row;
    }
    EXPECT_TRUE(fields_by(reader, "\"1\",\"2\"", 2));
    EXPECT_TRUE(fields_by(reader, "\"a text of more than sixteen characters\",\"\"", 2));
  }
}

TEST(QuotedNumbers, OneIsReadUpToItsClosingQuote) {
  const std::string text = R"("1,234.5","n/a","12)" + std::string(quoted_numbers_padding, ' ');
  const char* const end = text.data() + text.size() - quoted_numbers_padding;
  double number = 0;
  EXPECT_EQ(read_quoted_number(text.data(), end, number), text.data() + 9);
  EXPECT_EQ(number, 1234.5);
  EXPECT_EQ(read_quoted_number(text.data() + 10, end, number), nullptr);
  EXPECT_EQ(read_quoted_number(text.data() + 16, end, number), nullptr);
  EXPECT_EQ(read_quoted_number(end, end, number), nullptr);
}

TEST(QuotedNumbers, BothWaysGiveTheSameForAnyText) {
  std::mt19937 random(24);
  constexpr std::string_view characters = "0123456789012345678901234567890123456789.,,.-e \"n";
  for (int round = 0; round < 200'000; ++round) {
    std::string row = "\"";
    const std::size_t size = random() % 20;
    for (std::size_t i = 0; i < size; ++i) row += characters[random() % (round % 2 == 0 ? 44 : characters.size())];
    row += "\",\"1,234.5\"";
    ASSERT_EQ(fields_by(read_quoted_numbers, row, 2), fields_by(read_quoted_numbers_plainly, row, 2)) << row;
  }
}

}  // namespace
}  // namespace frx::ingest
