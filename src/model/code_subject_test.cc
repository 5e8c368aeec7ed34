#include "model/code_subject.h"

#include <gtest/gtest.h>

namespace frx::model {
namespace {

using Id = CodeFactId;

TEST(CodeFacts, HaveTheNamesOfTheData) {
  for (std::size_t i = 0; i < code_fact_count; ++i) {
    EXPECT_EQ(code_fact_called(code_fact_names[i]), static_cast<Id>(i)) << code_fact_names[i];
  }
  EXPECT_EQ(code_fact_called("sync_count"), Id::sync_count);
  EXPECT_EQ(code_fact_called("sync_counts"), std::nullopt);
  EXPECT_EQ(code_fact_called(""), std::nullopt);
}

TEST(CodeFacts, AreAbsentUntilTheyAreSet) {
  CodeSubject subject;
  for (std::size_t i = 0; i < code_fact_count; ++i) EXPECT_EQ(subject.find(static_cast<Id>(i)), nullptr);
  for (std::size_t i = 0; i < code_fact_count; i += 2) subject.set(static_cast<Id>(i), static_cast<double>(i));
  for (std::size_t i = 0; i < code_fact_count; ++i) {
    EXPECT_EQ(subject.number(static_cast<Id>(i)), i % 2 == 0 ? std::optional(static_cast<double>(i)) : std::nullopt);
  }
}

TEST(CodeFacts, AreReplacedByWhatIsSaidLater) {
  CodeSubject subject;
  subject.set(Id::sync_count, 2.0);
  subject.set(Id::has_sync, true);
  subject.set(Id::sync_count, 3.0);
  EXPECT_EQ(subject.number(Id::sync_count), 3.0);
  EXPECT_EQ(subject.number(Id::has_sync), 1.0);
}

TEST(CodeFacts, ATextIsNoNumber) {
  CodeSubject subject;
  subject.set(Id::access_text, std::string("a[i]"));
  EXPECT_EQ(subject.number(Id::access_text), std::nullopt);
  EXPECT_EQ(std::get<std::string>(subject.find(Id::access_text)->value), "a[i]");
}

}  // namespace
}  // namespace frx::model
