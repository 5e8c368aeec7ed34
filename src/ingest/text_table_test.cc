#include "ingest/text_table.h"

#include <gtest/gtest.h>

namespace frx::ingest {
namespace {

using Cells = std::vector<std::string_view>;

const TextTable table = *TextTable::from_dashes("  ---------- ----- -------");

TEST(TextTable, NeedsTwoGroupsOfDashes) {
  EXPECT_FALSE(TextTable::from_dashes("  -----------"));
  EXPECT_FALSE(TextTable::from_dashes("  ------ x -----"));
  EXPECT_FALSE(TextTable::from_dashes("- -- -"));
  EXPECT_EQ(table.columns(), 3u);
}

TEST(TextTable, CutsWhereTheDashesAre) { EXPECT_EQ(table.cut("  Long label cycle 13 5,25"), (Cells{"Long label", "cycle", "13 5,25"})); }

TEST(TextTable, KeepsAnEmptyCell) {
  EXPECT_EQ(table.cut("  Label                 42"), (Cells{"Label", "", "42"}));
  EXPECT_EQ(table.cut("  Label          %"), (Cells{"Label", "%", ""}));
}

TEST(TextTable, RefusesTextThatCrossesAColumn) {
  EXPECT_FALSE(table.cut("  this is what the program says"));
  EXPECT_FALSE(table.cut("  iteration 12 of 40"));
}

TEST(TextTable, RefusesAValueThatIsNotRightAligned) { EXPECT_FALSE(table.cut("  Label          %   42")); }

TEST(TextTable, RefusesTextLeftOfTheTable) { EXPECT_FALSE(table.cut("x Label          %      42")); }

TEST(TextTable, CutsALongLabelAtWideBlanks) {
  EXPECT_EQ(table.cut("  label_longer_than_its_column    %      42"), (Cells{"label_longer_than_its_column", "%", "42"}));
  EXPECT_EQ(table.cut("  label_longer_than_its_column           42"), (Cells{"label_longer_than_its_column", "", "42"}));
}

TEST(TextTable, CountsCharactersWhenBytesDoNotFit) {
  EXPECT_EQ(table.cut("  Label          %  13\xC2\xA0"
                      "181"),
            (Cells{"Label", "%",
                   "13\xC2\xA0"
                   "181"}));
}

}  // namespace
}  // namespace frx::ingest
