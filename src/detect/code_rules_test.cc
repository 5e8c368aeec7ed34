#include "detect/code_rules.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::detect {
namespace {

using knowledge::CodeRules;
using knowledge::Library;
using model::CodeSubject;
using model::Finding;
using model::TextPlace;
using Id = model::CodeFactId;

// Made of facts that no rule of ours uses alone.
constexpr const char* spread = R"(id: spread
scope: kernel
category: memory
severity: medium
confidence: high
message: threads are {bank_conflict_ways} bytes apart
at: has_loop
when: has_loop and coalesced_access_count >= 2
architecture_overrides:
  sm_90: {when: has_loop and coalesced_access_count >= 5, message: "Hopper: {bank_conflict_ways} bytes"}
)";

constexpr const char* tiny = R"(id: tiny
scope: occupancy
category: launch
severity: high
confidence: high
message: blocks of {shared_bytes} bytes
when: shared_bytes < 32 byte
)";

// Merged over our own rules.
struct Rules {
  TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  Library library;
  CodeRules rules;

  Rules() : library(Library::builtin()) {
    EXPECT_TRUE(write_file(folder.file("code_rules/cuda/spread.yaml"), spread));
    EXPECT_TRUE(write_file(folder.file("code_rules/cuda/tiny.yaml"), tiny));
    library = Library::with_overrides(folder.path()).value();
    rules = CodeRules::load(library, "cuda").value();
  }
};

TextPlace at(std::uint32_t line) {
  TextPlace place;
  place.file = "a.cu";
  place.line = line;
  return place;
}

CodeSubject kernel_with(bool loops, double accesses) {
  CodeSubject subject;
  subject.kernel = "copy";
  subject.place = at(3);
  subject.set(Id::has_loop, loops, {at(7), at(9)});
  subject.set(Id::coalesced_access_count, accesses);
  subject.set(Id::bank_conflict_ways, 128.0);
  return subject;
}

TEST(CodeRules, PointAtTheCodeThatShowsIt) {
  const Rules r;
  const std::vector<CodeSubject> subjects{kernel_with(true, 2)};
  const std::vector<Finding> findings = examine(r.rules, subjects, "");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id(), "spread");
  EXPECT_EQ(findings[0].message, "threads are 128 bytes apart");
  EXPECT_EQ(findings[0].place().line, 7u);
  ASSERT_EQ(findings[0].more_places().size(), 1u);
  EXPECT_EQ(findings[0].more_places()[0].line, 9u);
}

TEST(CodeRules, AreClearWhereTheirConditionIsFalse) {
  const Rules r;
  const knowledge::CodeRule& rule = *r.rules.with_id("spread");
  EXPECT_EQ(holds(rule, kernel_with(true, 2), ""), true);
  EXPECT_EQ(holds(rule, kernel_with(true, 1), ""), false);
  EXPECT_EQ(holds(rule, kernel_with(false, 2), ""), false);
  EXPECT_TRUE(examine(r.rules, std::vector{kernel_with(true, 1)}, "").empty());
}

TEST(CodeRules, CannotTellWhatIsUnknownAndAreSilentThen) {
  const Rules r;
  CodeSubject subject;
  subject.set(Id::has_loop, true, {at(7)});
  EXPECT_EQ(holds(*r.rules.with_id("spread"), subject, ""), std::nullopt);
  EXPECT_TRUE(examine(r.rules, std::vector{subject}, "").empty());
}

TEST(CodeRules, AnArchitectureReplacesConditionsAndWords) {
  const Rules r;
  EXPECT_TRUE(examine(r.rules, std::vector{kernel_with(true, 2)}, "sm_90").empty());
  const std::vector<Finding> findings = examine(r.rules, std::vector{kernel_with(true, 5)}, "sm_90");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "Hopper: 128 bytes");
}

TEST(CodeRules, AskOnlyAboutTheirScopeAndStandByTheirSeverity) {
  const Rules r;
  CodeSubject estimate;
  estimate.scope = CodeSubject::Scope::occupancy;
  estimate.place = at(20);
  estimate.set(Id::shared_bytes, 17.0);
  const std::vector<CodeSubject> subjects{kernel_with(true, 2), estimate};
  const std::vector<Finding> findings = examine(r.rules, subjects, "");
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].id(), "tiny");
  EXPECT_EQ(findings[0].message, "blocks of 17 bytes");
}

// The error when this rule, "odd", is merged over our own.
Error refusal(const std::string& text) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  EXPECT_TRUE(write_file(folder.file("code_rules/cuda/odd.yaml"), text));
  const Library library = Library::with_overrides(folder.path()).value();
  const Result<CodeRules> rules = CodeRules::load(library, "cuda");
  if (rules) return {};
  return rules.error();
}

std::string odd(const std::string& more) { return "id: odd\nscope: launch\ncategory: c\nseverity: low\nconfidence: low\n" + more; }

TEST(CodeRules, RefuseWhatIsNoRuleWithFileAndLine) {
  const Error error = refusal("id: odd\nscope: galaxy\n");
  EXPECT_EQ(error.where, "data/code_rules/cuda/odd.yaml:2");
  EXPECT_NE(error.message.find("kernel, launch, occupancy"), std::string::npos);
}

TEST(CodeRules, RefuseFactsThatNobodySuppliesWithFileAndLine) {
  const Error condition = refusal(odd("message: m\nwhen: block_sise > 1 thread\n"));
  EXPECT_EQ(condition.where, "data/code_rules/cuda/odd.yaml:7");
  EXPECT_NE(condition.message.find("block_sise"), std::string::npos) << condition.message;
  EXPECT_EQ(refusal(odd("message: m\nwhen: has_loop\n")).where, "data/code_rules/cuda/odd.yaml:7") << "of kernels, not of launches";
  EXPECT_EQ(refusal(odd("message: of {block_sise}\nwhen: block_size > 1 thread\n")).where, "data/code_rules/cuda/odd.yaml:6");
  EXPECT_EQ(refusal(odd("message: m\nat: here\nwhen: block_size > 1 thread\n")).where, "data/code_rules/cuda/odd.yaml:7");
  EXPECT_EQ(refusal(odd("message: m\nwhen: block_size > 1 thread\n")).message, "");
}

TEST(CodeRules, RefuseOtherUnitsAndTheMapsOfOldWithFileAndLine) {
  EXPECT_NE(refusal(odd("message: m\nwhen: block_size > 1 byte\n")).message.find("cannot compare"), std::string::npos);
  EXPECT_NE(refusal(odd("message: m\nwhen: block_size\n")).message.find("is not a condition"), std::string::npos);
  const Error old = refusal(odd("message: m\nconditions: {block_size_gt: 1}\n"));
  EXPECT_EQ(old.where, "data/code_rules/cuda/odd.yaml:7");
  EXPECT_NE(old.message.find("written as an expression now"), std::string::npos);
  const Error special = refusal(odd("message: m\nwhen: block_size > 1 thread\narchitecture_overrides:\n  sm_90: {when: has_loop}\n"));
  EXPECT_EQ(special.where, "data/code_rules/cuda/odd.yaml:9");
}

}  // namespace
}  // namespace frx::detect
