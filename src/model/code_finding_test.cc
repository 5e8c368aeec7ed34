#include "model/code_finding.h"

#include <gtest/gtest.h>

namespace frx::model {
namespace {

double number(const CodeSubject& subject, std::string_view name) { return std::get<double>(subject.find(name)->value); }

TEST(CodeFacts, AreFoundByTheirNames) {
  CodeSubject subject;
  for (int i = 0; i < 300; ++i) subject.set("fact_" + std::to_string(i), static_cast<double>(i));
  subject.set("literal", true);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(number(subject, "fact_" + std::to_string(i)), i);
  EXPECT_TRUE(std::get<bool>(subject.find("literal")->value));
  EXPECT_EQ(subject.find("absent"), nullptr);
  EXPECT_EQ(CodeSubject().find("absent"), nullptr);
}

TEST(CodeFacts, AreReplacedByWhatIsSaidLater) {
  CodeSubject subject;
  subject.set("strides", 2.0);
  subject.set(std::string("strides"), 3.0);
  EXPECT_EQ(number(subject, "strides"), 3.0);
}

// Names that were made, and not written down, live as long as any copy.
TEST(CodeFacts, OutliveTheOnesTheyWereCopiedFrom) {
  CodeSubject copy;
  {
    CodeSubject first;
    first.set("a name " + std::string(100, 'x'), 1.0);
    copy = first;
    first.set("another " + std::string(100, 'y'), 2.0);
  }
  EXPECT_EQ(number(copy, "a name " + std::string(100, 'x')), 1.0);
  EXPECT_EQ(copy.find("another " + std::string(100, 'y')), nullptr);
}

}  // namespace
}  // namespace frx::model
