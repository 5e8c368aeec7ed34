#include "base/shared_text.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

TEST(SharedText, IsOneTextForAllItsCopies) {
  SharedText copy;
  {
    const SharedText first(std::string(100, 'a'));
    copy = first;
    EXPECT_EQ(copy.view().data(), first.view().data());
  }
  EXPECT_EQ(copy, std::string(100, 'a'));
}

TEST(SharedText, IsComparedByWhatItSays) {
  EXPECT_EQ(SharedText("a.cu"), SharedText(std::string("a.cu")));
  EXPECT_FALSE(SharedText("a.cu") == SharedText("b.cu"));
  EXPECT_EQ(SharedText("a.cu"), "a.cu");
}

TEST(SharedText, MayBeEmpty) {
  EXPECT_TRUE(SharedText().empty());
  EXPECT_TRUE(SharedText("").empty());
  EXPECT_EQ(SharedText().view(), "");
  EXPECT_EQ(SharedText(), SharedText(std::string()));
}

}  // namespace
}  // namespace frx
