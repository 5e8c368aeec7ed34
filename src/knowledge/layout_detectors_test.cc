#include "knowledge/layout_detectors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

std::string verdict_of(std::optional<bool> holds) { return !holds ? "cannot tell" : *holds ? "fires" : "clear"; }

// The cases that stand in the files of the detectors themselves.
TEST(LayoutDetectors, CasesHold) {
  const Result<LayoutKnowledge> known = LayoutKnowledge::load(Library::builtin());
  ASSERT_TRUE(known) << to_string(known.error());
  ASSERT_EQ(known->detectors().size(), 6u);
  for (const LayoutDetector& detector : known->detectors()) {
    EXPECT_GE(detector.cases.size(), 3u) << detector.id;
    for (std::size_t i = 0; i < detector.cases.size(); ++i) {
      const Value one = detector.cases.item(i);
      const LayoutPattern* const pattern = detector.pattern(one["pattern"].text());
      ASSERT_NE(pattern, nullptr) << one.where();
      const std::optional<bool> holds = known->holds(pattern->when, [&](std::string_view fact) { return one["given"][fact].number(); });
      EXPECT_EQ(verdict_of(holds), one["expect"].text()) << one.where() << ": " << one["name"].text();
    }
  }
}

std::string refusal_of(const std::string& text) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::make("/tmp");
  EXPECT_TRUE(folder);
  EXPECT_TRUE(write_file(folder->file("layout/detectors/more.yaml"), text));
  const Result<Library> library = Library::with_overrides(folder->path());
  if (!library) return to_string(library.error());
  const Result<LayoutKnowledge> known = LayoutKnowledge::load(*library);
  return known ? "" : to_string(known.error());
}

TEST(LayoutDetectors, RefuseWhatTheyDoNotKnow) {
  const std::string head =
      "id: more\ntitle: More\nneeds: shapes\npatterns:\n  - id: a\n    title: t\n    phrase: p\n    fix: f\n    kind: k\n    effort: 1\n";
  EXPECT_EQ(refusal_of(head + "    risk: LOW\n    when: count_per_step > 0\n"), "");
  EXPECT_NE(refusal_of(head + "    risk: SMALL\n    when: count_per_step > 0\n").find("'SMALL' is no tier of risk"), std::string::npos);
  EXPECT_NE(refusal_of(head + "    risk: LOW\n    when: cuont_per_step > 0\n").find("cuont_per_step"), std::string::npos);
  EXPECT_NE(refusal_of(head + "    risk: LOW\n    when: count_per_step\n").find("expected a condition"), std::string::npos);
  EXPECT_NE(refusal_of("id: more\ntitle: More\nneeds: tensors\n").find("'tensors' is no level of evidence"), std::string::npos);
}

}  // namespace
}  // namespace frx::knowledge
