#include "report/hot_lines.h"

#include <gmock/gmock.h>

#include "knowledge/library.h"

namespace frx::report {
namespace {

using model::CodeAccess;
using model::CodeInstruction;
using model::CodeProfile;
using ::testing::DoubleNear;
using ::testing::Optional;
using ::testing::SizeIs;

const knowledge::MetricCatalogue& catalogue() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::MetricCatalogue metrics = knowledge::MetricCatalogue::load(library).value();
  return metrics;
}

// A profile that grows by instructions; reasons are wait, long_scoreboard and selected.
class Sketch {
 public:
  Sketch() {
    profile.kernel = "k";
    profile.functions = {"k"};
    profile.files = {"/src/k.cu", "/src/tool.h"};
    profile.reasons = {"wait", "long_scoreboard", "selected"};
    profile.has_samples = profile.has_executed = true;
  }

  // At a line of file 0, or without line when it is 0.
  CodeInstruction& add(std::uint32_t line, std::uint64_t executed, std::uint32_t wait = 0, std::uint32_t scoreboard = 0,
                       std::uint32_t selected = 0) {
    CodeInstruction& added = profile.instructions.emplace_back();
    added.offset = static_cast<std::uint32_t>(16 * (profile.instructions.size() - 1));
    added.executed = executed;
    added.stalls = {wait, scoreboard, selected};
    added.samples = wait + scoreboard + selected;
    profile.samples += added.samples;
    profile.executed += executed;
    if (line > 0) added.place = place(line);
    return added;
  }

  void transfers(CodeInstruction& of, std::uint64_t sectors, std::uint64_t ideal, bool loads = true) {
    of.access = static_cast<std::uint32_t>(profile.accesses.size());
    profile.accesses.push_back(
        CodeAccess{.has_sectors = true, .sectors = sectors, .ideal_sectors = ideal, .loads = loads, .stores = !loads});
  }

  HotCode hot() const { return hot_code({profile}, "k", catalogue()); }

  CodeProfile profile;

 private:
  std::uint32_t place(std::uint32_t line) {
    for (std::uint32_t i = 0; i < profile.places.size(); ++i) {
      if (profile.places[i].line == line) return i;
    }
    profile.places.push_back({.file = 0, .line = line, .called_from = CodeInstruction::none, .text = "text"});
    return static_cast<std::uint32_t>(profile.places.size() - 1);
  }
};

TEST(HotLines, AddUpTheInstructionsOfALine) {
  Sketch sketch;
  sketch.add(7, 10, 20, 40);
  sketch.add(8, 10, 20);
  sketch.add(7, 30, 20);
  const HotCode code = sketch.hot();
  ASSERT_THAT(code.lines, SizeIs(2));
  EXPECT_EQ(code.lines[0].place.line, 7u);
  EXPECT_EQ(code.lines[0].place.file, "/src/k.cu");
  EXPECT_EQ(code.lines[0].instructions, 2u);
  EXPECT_THAT(code.lines[0].share_pct, Optional(DoubleNear(80, 1e-9)));
  EXPECT_THAT(code.lines[0].executed_share_pct, Optional(DoubleNear(80, 1e-9)));
  EXPECT_EQ(code.lines[0].text, "text");
}

TEST(HotLines, SharesAreOfAllSamplesButASelectedWarpIsNotStalled) {
  Sketch sketch;
  sketch.add(7, 1, 0, 30, 70);
  sketch.add(8, 1, 100);
  const HotCode code = sketch.hot();
  EXPECT_THAT(code.lines[0].share_pct, Optional(DoubleNear(50, 1e-9)));
  const HotLine& line = code.lines[0].place.line == 7 ? code.lines[0] : code.lines[1];
  ASSERT_THAT(line.stalls, SizeIs(1));
  EXPECT_EQ(line.stalls[0].reason, "long_scoreboard");
  EXPECT_EQ(line.stalls[0].pct, 30);
  EXPECT_EQ(line.stalls[0].words, "waits for a result of global, local, texture or surface memory");
}

TEST(HotLines, RankByExecutedInstructionsWhenTooFewSamplesTell) {
  Sketch sketch;
  sketch.add(7, 10, 3);
  sketch.add(8, 90, 1);
  const HotCode code = sketch.hot();
  EXPECT_FALSE(code.by_samples);
  EXPECT_EQ(code.samples, 4u);
  EXPECT_EQ(code.lines[0].place.line, 8u);
}

TEST(HotLines, AreInstructionsWhereNoLineIsKnown) {
  Sketch sketch;
  sketch.add(0, 10, 90);
  sketch.add(0, 10, 10);
  const HotCode code = sketch.hot();
  EXPECT_FALSE(code.has_places);
  ASSERT_THAT(code.lines, SizeIs(2));
  EXPECT_THAT(code.lines[1].offset, Optional(16u));
  EXPECT_EQ(code.lines[0].place.line, 0u);
}

TEST(HotLines, TellWhatTheWastefulAccessesOfALineTake) {
  Sketch sketch;
  sketch.transfers(sketch.add(7, 10, 100), 320, 40);
  sketch.transfers(sketch.add(7, 10), 40, 40);
  sketch.transfers(sketch.add(8, 10), 40, 40);
  const HotCode code = sketch.hot();
  const std::optional<LineWaste>& waste = code.lines[0].sectors;
  ASSERT_TRUE(waste);
  EXPECT_EQ(waste->access, "loads");
  EXPECT_EQ(waste->each, 32);
  EXPECT_EQ(waste->ideal_each, 4);
  EXPECT_EQ(waste->excess, 280);
  EXPECT_NEAR(waste->of_line_pct, 100.0 * 280 / 360, 1e-9);
  EXPECT_NEAR(waste->of_kernel_pct, 100.0 * 280 / 400, 1e-9);
  EXPECT_FALSE(code.lines[0].wavefronts);
}

TEST(HotLines, ShowWastefulLinesAtWhichNoWarpWaits) {
  Sketch sketch;
  for (std::uint32_t line = 1; line <= 12; ++line) sketch.add(line, 1, 100 - line);
  sketch.transfers(sketch.add(50, 1), 64, 8, false);
  const HotCode code = sketch.hot();
  EXPECT_EQ(code.of_lines, 13u);
  ASSERT_THAT(code.lines, SizeIs(11));
  EXPECT_EQ(code.lines[10].place.line, 50u);
  EXPECT_EQ(code.lines[10].sectors->access, "stores");
}

TEST(HotLines, KeepInlinedCodeApartByWhereItWasCalled) {
  Sketch sketch;
  sketch.profile.places = {{.file = 0, .line = 12, .text = {}},
                           {.file = 1, .line = 3, .called_from = 0, .text = {}},
                           {.file = 0, .line = 20, .text = {}},
                           {.file = 1, .line = 3, .called_from = 2, .text = {}}};
  sketch.add(0, 1, 60).place = 1;
  sketch.add(0, 1, 40).place = 3;
  const HotCode code = sketch.hot();
  ASSERT_THAT(code.lines, SizeIs(2));
  EXPECT_EQ(code.lines[0].place.line, 3u);
  ASSERT_THAT(code.lines[0].called_from, SizeIs(1));
  EXPECT_EQ(code.lines[0].called_from[0].line, 12u);
}

TEST(HotLines, ExecutedInstructionsWithoutLinesShowOnlyWhatTheyWaste) {
  Sketch sketch;
  sketch.add(0, 90, 3);
  sketch.transfers(sketch.add(0, 10), 320, 40);
  const HotCode code = sketch.hot();
  ASSERT_THAT(code.lines, SizeIs(1));
  EXPECT_THAT(code.lines[0].offset, Optional(16u));
}

TEST(HotLines, HaveNothingToSayWithoutMeasurements) {
  Sketch sketch;
  sketch.add(7, 0);
  sketch.profile.has_samples = sketch.profile.has_executed = false;
  EXPECT_THAT(sketch.hot().lines, SizeIs(0));
  EXPECT_THAT(hot_code({sketch.profile}, "another", catalogue()).lines, SizeIs(0));
}

}  // namespace
}  // namespace frx::report
