#include "ingest/csv.h"

#include <gtest/gtest.h>

namespace frx::ingest {
namespace {

using Fields = std::vector<std::string_view>;

Fields split_of(std::string_view line) {
  Fields fields;
  EXPECT_EQ(split_csv(line, fields), Split::ok) << line;
  return fields;
}

TEST(SplitCsv, KeepsCommasInsideQuotes) { EXPECT_EQ(split_of(R"("a,b",c)"), (Fields{"a,b", "c"})); }

TEST(SplitCsv, KeepsEmptyFieldsAtBothEnds) { EXPECT_EQ(split_of(",x,"), (Fields{"", "x", ""})); }

TEST(SplitCsv, KeepsEmptyQuotedFields) { EXPECT_EQ(split_of(R"("","")"), (Fields{"", ""})); }

TEST(SplitCsv, FindsTheEndOfAFieldWithDoubledQuotes) {
  EXPECT_EQ(split_of(R"("say ""hi"", twice",2)"), (Fields{R"(say ""hi"", twice)", "2"}));
}

TEST(SplitCsv, DropsWhatFollowsAClosingQuote) { EXPECT_EQ(split_of(R"("loss": 0.5,"b")"), (Fields{"loss", "b"})); }

TEST(SplitCsv, AsksForMoreWhenAQuoteStaysOpen) {
  Fields fields;
  EXPECT_EQ(split_csv(R"(1,"text goes)", fields), Split::open_quote);
  EXPECT_EQ(split_csv(R"("ends in a doubled quote"")", fields), Split::open_quote);
}

TEST(SplitCsv, GivesOneEmptyFieldForAnEmptyLine) { EXPECT_EQ(split_of(""), (Fields{""})); }

TEST(Unquoted, MakesDoubledQuotesSingle) {
  EXPECT_EQ(unquoted(R"(say ""hi"")"), R"(say "hi")");
  EXPECT_EQ(unquoted("plain"), "plain");
}

}  // namespace
}  // namespace frx::ingest
