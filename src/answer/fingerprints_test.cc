#include "answer/fingerprints.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace frx::answer {
namespace {

Issue issue_at(std::string_view file, std::uint32_t line, std::string_view snippet) {
  return {.rule = "uncoalesced_access",
          .category = "memory",
          .severity = "medium",
          .confidence = "high",
          .message = "words",
          .advice = {},
          .kernel = "copy",
          .place = {.file = file, .line = line},
          .more_places = {},
          .snippet = snippet};
}

std::vector<std::string> fingerprints_of(std::vector<Issue> found) {
  Issues issues{.found = std::move(found), .unread = {}};
  add_fingerprints(issues);
  std::vector<std::string> texts;
  for (const Issue& issue : issues.found) texts.push_back(issue.fingerprint);
  return texts;
}

TEST(Fingerprints, AreThoseOfTheLineAndNotOfItsNumber) {
  const std::vector<std::string> here = fingerprints_of({issue_at("src/a.cu", 3, "  a[i * n] = 1;")});
  EXPECT_EQ(here[0].size(), 32u);
  EXPECT_EQ(here, fingerprints_of({issue_at("./src/a.cu", 90, "\ta[i*n] = 1;")}));
  EXPECT_NE(here, fingerprints_of({issue_at("src/a.cu", 3, "a[i * m] = 1;")}));
  EXPECT_NE(here, fingerprints_of({issue_at("src/b.cu", 3, "a[i * n] = 1;")}));
}

TEST(Fingerprints, OfEqualFindingsDiffer) {
  const std::vector<std::string> two = fingerprints_of({issue_at("a.cu", 3, "f(a);"), issue_at("a.cu", 4, "f(a);")});
  EXPECT_NE(two[0], two[1]);
  EXPECT_EQ(two[0], fingerprints_of({issue_at("a.cu", 7, "f(a);")})[0]);
}

TEST(Fingerprints, LeaveTheNumbersOfVirtualRegistersOut) {
  EXPECT_EQ(fingerprints_of({issue_at("a.ptx", 3, "ld.global.f32 %f12, [%rd4+8];")}),
            fingerprints_of({issue_at("a.ptx", 9, "ld.global.f32 %f3, [%rd17+8];")}));
  EXPECT_NE(fingerprints_of({issue_at("a.ptx", 3, "ld.global.f32 %f12, [%rd4+8];")}),
            fingerprints_of({issue_at("a.ptx", 3, "ld.global.f32 %f12, [%rd4+16];")}));
}

TEST(Fingerprints, OfTheContentLeaveTheFileOut) {
  EXPECT_EQ(content_fingerprint(issue_at("a.cu", 3, "f(a);")), content_fingerprint(issue_at("b/c.cu", 5, "f( a );")));
}

TEST(Fingerprints, OfWhatStandsForAFileOrAnAnalysisLeaveTheLineOut) {
  const auto known_by = [](KnownBy what, std::string_view file, std::string_view snippet) {
    Issue issue = issue_at(file, 3, snippet);
    issue.known_by = what;
    return fingerprints_of({issue});
  };
  EXPECT_EQ(known_by(KnownBy::file, "a.cu", "f<<<1, 8>>>();"), known_by(KnownBy::file, "a.cu", "g<<<1, 8>>>();"));
  EXPECT_NE(known_by(KnownBy::file, "a.cu", "f<<<1, 8>>>();"), known_by(KnownBy::file, "b.cu", "f<<<1, 8>>>();"));
  EXPECT_EQ(known_by(KnownBy::rule, "a.cu", "f<<<1, 8>>>();"), known_by(KnownBy::rule, "b.cu", "g<<<1, 8>>>();"));
}

TEST(TidyPath, IsWhatTheRepositoryCallsIt) {
  EXPECT_EQ(tidy_path("./a/../b.cu"), "b.cu");
  EXPECT_EQ(tidy_path((std::filesystem::current_path() / "src/a.cu").string()), "src/a.cu");
  EXPECT_EQ(tidy_path("/elsewhere/a.cu"), "/elsewhere/a.cu");
}

}  // namespace
}  // namespace frx::answer
