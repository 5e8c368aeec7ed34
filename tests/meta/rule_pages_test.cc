// docs/rules and docs/labels hold the pages that the program writes, of everything that data/ has, and nothing else.
#include <gtest/gtest.h>

#include <set>

#include "cli/rule_page_file.h"
#include "compose/rule_page.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

std::shared_ptr<const report::RulePages> pages() { return report::RulePages::of(report::Expertise::load("").value()); }

TEST(RulePages, AreThoseOfTheDocumentation) {
  std::set<std::string> written;
  for (const compose::RulePageFile& file : compose::files_of(*pages())) {
    written.insert("docs/" + file.path);
    EXPECT_EQ(content(repository() / "docs" / file.path), cli::text_of_page(file)) << file.path << " is stale: ./dev reference";
  }
  for (const char* folder : {"docs/rules", "docs/labels"}) {
    for (const fs::path& file : files_below(folder, ".md")) EXPECT_TRUE(written.contains(shown(file))) << shown(file) << " is of nothing";
  }
}

TEST(RulePages, SayWhatOneHasToKnow) {
  const auto all = pages();
  for (const report::RulePage& page : all->all()) {
    EXPECT_FALSE(page.title.empty()) << page.id;
    EXPECT_FALSE(page.says.empty() && page.why.empty()) << page.id;
    EXPECT_FALSE(page.conditions.empty()) << page.id;
    EXPECT_FALSE(page.blind.empty() && page.refuted.empty()) << page.id;
    EXPECT_FALSE(page.commands.empty()) << page.id;
    EXPECT_TRUE(fs::exists(repository() / page.file)) << page.file;
  }
}

// A name in a condition that the page does not explain would send the reader to the source.
TEST(RulePages, ExplainEveryNameOfAFact) {
  const auto all = pages();
  for (const report::RulePage& page : all->all()) {
    for (const report::PageName& name : page.names) EXPECT_FALSE(name.meaning.empty()) << page.id << ": " << name.name;
  }
}

TEST(RulePages, OfFiringCasesHaveAnExample) {
  const auto all = pages();
  for (const report::RulePage& page : all->all()) {
    if (page.cases.empty()) continue;
    const bool fires = std::ranges::any_of(page.cases, [](const report::PageCase& one) { return one.expect == "fires"; });
    EXPECT_TRUE(fires) << page.id;
  }
}

}  // namespace
}  // namespace frx::testing
