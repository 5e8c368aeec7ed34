#include "report/finding_tiers.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "report/finding_repeats.h"

namespace frx::report {
namespace {

using model::Finding;
using model::Tier;

struct Rules {
  model::FindingType once, plain, launches;
  Rules() {
    once.id = "once", once.is_once_per_analysis = true;
    plain.id = "plain";
    launches.id = "launches", launches.is_about_launches = true;
  }
};

Finding found(const model::FindingType& type, Tier tier, const std::string& file, std::uint32_t line, const std::string& kernel = "k") {
  Finding finding;
  finding.type = &type;
  finding.tier = tier;
  finding.kernel = kernel;
  finding.message = std::string("It holds.");
  finding.places.push_back({file, line});
  return finding;
}

std::vector<std::string> files_of(const std::vector<Finding>& findings) {
  std::vector<std::string> files;
  for (const Finding& finding : findings) files.emplace_back(finding.place().file.view());
  return files;
}

void show_once(CudaReport& first, CudaReport& second) {
  const std::array<CudaReport*, 2> reports{&first, &second};
  show_once_per_analysis(reports);
}

TEST(FindingTiers, WhatIsPedanticIsWithheldUnlessAskedForAndWhatIsUnconfirmedAlways) {
  const Rules rules;
  CudaReport report;
  report.findings = {found(rules.plain, Tier::pedantic, "a.cu", 1), found(rules.plain, Tier::by_default, "b.cu", 1),
                     found(rules.plain, Tier::unconfirmed, "c.cu", 1)};
  CudaReport pedantic = report;
  withhold(report, false);
  EXPECT_EQ(files_of(report.findings), std::vector<std::string>({"b.cu"}));
  EXPECT_EQ(pedantic_count(report), 1u);
  withhold(pedantic, true);
  EXPECT_EQ(files_of(pedantic.findings), std::vector<std::string>({"a.cu", "b.cu"}));
  EXPECT_EQ(pedantic_count(pedantic), 0u);
}

TEST(FindingTiers, OneOfAnAnalysisIsShownAndCountsTheOthers) {
  const Rules rules;
  CudaReport first, second;
  first.withheld = {found(rules.once, Tier::pedantic, "lib/tests/a.cu", 1)};
  second.withheld = {found(rules.plain, Tier::pedantic, "lib/b.cu", 1), found(rules.once, Tier::pedantic, "lib/c.cu", 5),
                     found(rules.once, Tier::pedantic, "lib/d.cu", 5)};
  show_once(first, second);
  EXPECT_TRUE(first.findings.empty());
  ASSERT_EQ(files_of(second.findings), std::vector<std::string>({"lib/c.cu"}));  // not the one among the tests
  EXPECT_EQ(second.findings[0].message.view(), "It holds. --pedantic lists 2 more findings of this kind.");
  EXPECT_EQ(second.findings[0].reach, model::Reach::analysis);
  EXPECT_EQ(second.withheld.size(), 2u);
}

TEST(FindingTiers, WhereOneIsShownAnywayNoneIsAdded) {
  const Rules rules;
  CudaReport first, second;
  first.findings = {found(rules.once, Tier::by_default, "a.cu", 1)};
  second.withheld = {found(rules.once, Tier::pedantic, "b.cu", 1)};
  show_once(first, second);
  EXPECT_TRUE(second.findings.empty());
  EXPECT_EQ(first.findings[0].message.view(), "It holds.");
}

TEST(FindingTiers, AmongTestsOneIsShownWhereThereIsNothingElse) {
  const Rules rules;
  CudaReport first, second;
  first.withheld = {found(rules.once, Tier::pedantic, "tests/a.cu", 1)};
  show_once(first, second);
  EXPECT_EQ(files_of(first.findings), std::vector<std::string>({"tests/a.cu"}));
}

TEST(FindingTiers, WithAllOfThemListedTheFirstIsOfTheDefaultTier) {
  const Rules rules;
  CudaReport first, second;
  first.findings = {found(rules.once, Tier::pedantic, "a.cu", 1), found(rules.once, Tier::pedantic, "b.cu", 1)};
  show_once(first, second);
  EXPECT_EQ(first.findings[0].tier, Tier::by_default);
  EXPECT_EQ(first.findings[0].message.view(), "It holds.");
  EXPECT_EQ(first.findings[1].tier, Tier::pedantic);
}

TEST(FindingRepeats, CodeThatSeveralKernelsCallIsOneFinding) {
  const Rules rules;
  std::vector<Finding> findings = {found(rules.plain, Tier::pedantic, "a.cuh", 7, "forward"),
                                   found(rules.plain, Tier::by_default, "a.cuh", 7, "backward"),
                                   found(rules.plain, Tier::pedantic, "a.cuh", 8, "forward")};
  join_repeats(findings);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].message.view(), "It holds. The same code is part of backward.");
  EXPECT_EQ(findings[0].tier, Tier::by_default);
  EXPECT_TRUE(findings[0].more_places().empty());
  EXPECT_TRUE(findings[1].more_kernels.empty());
}

TEST(FindingRepeats, KernelsThatOneMacroMakesAreOneFinding) {
  const Rules rules;
  std::vector<Finding> findings;
  for (const auto& [line, kernel, snippet] :
       {std::tuple(7u, "add", "OPERATION(add, x + y)"), std::tuple(8u, "sub", "OPERATION(sub, x - y)"),
        std::tuple(9u, "neg", "NEGATION(neg)"), std::tuple(10u, "own", "sum(a[i]);")}) {
    findings.push_back(found(rules.plain, Tier::pedantic, "a.cu", line, kernel));
    findings.back().snippet = std::string(snippet);
  }
  findings.push_back(findings.front());
  findings.back().message = std::string("It holds for x.");
  join_repeats(findings);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].message.view(), "It holds. The same code is part of sub.");
  ASSERT_EQ(findings[0].more_places().size(), 1u);
  EXPECT_EQ(findings[0].more_places()[0].line, 8u);
  EXPECT_TRUE(findings[1].more_kernels.empty());
}

TEST(FindingRepeats, LaunchesOfAFileWithOneMessageAreOneFinding) {
  const Rules rules;
  std::vector<Finding> findings = {found(rules.launches, Tier::by_default, "a.cu", 7, "first"),
                                   found(rules.launches, Tier::by_default, "a.cu", 9, "second"),
                                   found(rules.launches, Tier::by_default, "b.cu", 3, "third")};
  findings.push_back(found(rules.launches, Tier::by_default, "a.cu", 11));
  findings.back().message = std::string("It holds for 8 threads.");
  join_repeats(findings);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].message.view(), "It holds.");
  ASSERT_EQ(findings[0].more_places().size(), 1u);
  EXPECT_EQ(findings[0].more_places()[0].line, 9u);
  ASSERT_EQ(findings[0].more_kernels.size(), 1u);
  EXPECT_EQ(findings[0].more_kernels[0].view(), "second");
  EXPECT_EQ(findings[1].place().file.view(), "b.cu");
}

}  // namespace
}  // namespace frx::report
