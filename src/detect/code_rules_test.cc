#include "detect/code_rules.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::detect {
namespace {

using knowledge::CodeRules;
using knowledge::Library;
using model::CodeFinding;
using model::TextPlace;
using model::CodeSubject;

constexpr const char* spread = R"(id: spread
scope: kernel
category: memory
severity: medium
confidence: high
message: threads are {stride} bytes apart
at: strided
conditions: {strided: true, loads_gte: 2}
architecture_overrides:
  sm_90: {conditions: {strided: true, loads_gte: 5}, message: "Hopper: {stride} bytes"}
)";

constexpr const char* tiny = R"(id: tiny
scope: launch
category: launch
severity: high
confidence: high
message: blocks of {threads} threads
conditions: {threads_lt: 32}
)";

// The built-in rules of a kind nobody else uses, replaced by these.
struct Rules {
  TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  Library library;
  CodeRules rules;

  Rules() : library(Library::builtin()) {
    EXPECT_TRUE(write_file(folder.file("code_rules/test/spread.yaml"), spread));
    EXPECT_TRUE(write_file(folder.file("code_rules/test/tiny.yaml"), tiny));
    library = Library::with_overrides(folder.path()).value();
    rules = CodeRules::load(library, "test").value();
  }
};

TextPlace at(std::uint32_t line) {
  TextPlace place;
  place.file = "a.cu";
  place.line = line;
  return place;
}

CodeSubject kernel_with(bool strided, double loads) {
  CodeSubject subject;
  subject.kernel = "copy";
  subject.place = at(3);
  subject.set("strided", strided, {at(7), at(9)});
  subject.set("loads", loads);
  subject.set("stride", 128.0);
  return subject;
}

TEST(CodeRules, PointAtTheCodeThatShowsIt) {
  const Rules r;
  const std::vector<CodeSubject> subjects{kernel_with(true, 2)};
  const std::vector<CodeFinding> findings = examine(r.rules, subjects, "");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "spread");
  EXPECT_EQ(findings[0].message, "threads are 128 bytes apart");
  EXPECT_EQ(findings[0].place.line, 7u);
  ASSERT_EQ(findings[0].more_places.size(), 1u);
  EXPECT_EQ(findings[0].more_places[0].line, 9u);
}

TEST(CodeRules, AllConditionsMustHold) {
  const Rules r;
  EXPECT_TRUE(examine(r.rules, std::vector{kernel_with(true, 1)}, "").empty());
  EXPECT_TRUE(examine(r.rules, std::vector{kernel_with(false, 2)}, "").empty());
}

TEST(CodeRules, AreSilentAboutWhatIsUnknown) {
  const Rules r;
  CodeSubject subject;
  subject.set("strided", true, {at(7)});
  subject.set("stride", 128.0);
  EXPECT_TRUE(examine(r.rules, std::vector{subject}, "").empty());
}

TEST(CodeRules, AnArchitectureReplacesConditionsAndWords) {
  const Rules r;
  EXPECT_TRUE(examine(r.rules, std::vector{kernel_with(true, 2)}, "sm_90").empty());
  const std::vector<CodeFinding> findings = examine(r.rules, std::vector{kernel_with(true, 5)}, "sm_90");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "Hopper: 128 bytes");
}

TEST(CodeRules, AskOnlyAboutTheirScopeAndStandByTheirSeverity) {
  const Rules r;
  CodeSubject launch;
  launch.scope = CodeSubject::Scope::launch;
  launch.place = at(20);
  launch.set("threads", 17.0);
  const std::vector<CodeSubject> subjects{kernel_with(true, 2), launch};
  const std::vector<CodeFinding> findings = examine(r.rules, subjects, "");
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].code, "tiny");
  EXPECT_EQ(findings[0].message, "blocks of 17 threads");
}

TEST(CodeRules, RefuseWhatIsNoRuleWithFileAndLine) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  ASSERT_TRUE(write_file(folder.file("code_rules/test/odd.yaml"), "id: odd\nscope: galaxy\n"));
  const Library library = Library::with_overrides(folder.path()).value();
  const Result<CodeRules> rules = CodeRules::load(library, "test");
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().where, "data/code_rules/test/odd.yaml:2");
  EXPECT_NE(rules.error().message.find("kernel, launch, occupancy"), std::string::npos);
}

}  // namespace
}  // namespace frx::detect
