#include "compose/hot_lines.h"

#include <gtest/gtest.h>

#include "compose/documents.h"
#include "compose/testing.h"

namespace frx::compose {
namespace {

using testing::contains;
using testing::ncu_report_text;

report::HotLine hot_line(double share) {
  report::HotLine line;
  line.place = {"/home/src/kernel.cu", 42};
  line.share_pct = share;
  line.stalls = {{"long_scoreboard", "waits for memory", 81}, {"wait", "sits", 12}};
  return line;
}

report::NcuReport report_with(report::HotLine line) {
  report::NcuReport report = testing::small_report();
  report::HotCode& hot = report.kernels[0].hot;
  hot.lines = {std::move(line)};
  hot.samples = 3629;
  hot.by_samples = hot.has_places = true;
  return report;
}

TEST(HotLinesText, ShowsBaseNameShareAndReason) {
  report::HotLine line = hot_line(34.25);
  line.text = "y[i] = x[index[i]];";
  const std::string text = ncu_report_text(report_with(line), {});
  EXPECT_TRUE(contains(text, "HOT LINES")) << text;
  EXPECT_TRUE(contains(text, "Share of 3,629 samples of its warps")) << text;
  EXPECT_TRUE(contains(text, "  kernel.cu:42\n            y[i] = x[index[i]];\n            - 81 % long_scoreboard: waits for memory"))
      << text;
  EXPECT_FALSE(contains(text, "/home/src")) << text;
}

TEST(HotLinesText, SaysWhatIsWasted) {
  report::HotLine line = hot_line(10);
  line.sectors = report::LineWaste{.access = "loads", .each = 32, .ideal_each = 4, .excess = 280, .of_line_pct = 87.5, .of_kernel_pct = 70};
  const std::string text = ncu_report_text(report_with(line), {});
  EXPECT_TRUE(contains(text, "loads take 32 sectors where 4 would do; 70 % of the kernel's")) << text;
}

TEST(HotLinesText, ExplainsAReasonOnce) {
  std::set<std::string_view> explained;
  EXPECT_EQ(hot_facts(hot_line(10), true, explained)[0], "81 % long_scoreboard: waits for memory");
  EXPECT_EQ(hot_facts(hot_line(10), true, explained)[0], "81 % long_scoreboard");
}

TEST(HotLinesText, NamesTheCallThatInlinedCodeCameFrom) {
  report::HotLine line = hot_line(10);
  line.called_from = {{"/inc/tool.h", 7}, {"C:\\src\\main.cu", 12}};
  EXPECT_EQ(hot_place(line), "kernel.cu:42, inlined at main.cu:12");
}

TEST(HotLinesText, NamesInstructionsWhereNoLineIsKnown) {
  report::HotLine line;
  line.offset = 0x4A0;
  line.instructions = 1;
  EXPECT_EQ(hot_place(line), "instruction at 0x4a0");
  line.in_callee = true;
  line.function = "helper";
  EXPECT_EQ(hot_place(line), "instruction at 0x4a0 of helper");
  line.offset.reset();
  EXPECT_EQ(hot_place(line), "1 instruction of helper without line information");
}

TEST(HotLinesText, FewSamplesGiveNoReasons) {
  report::NcuReport report = report_with(hot_line(50));
  report.kernels[0].hot.by_samples = false;
  report.kernels[0].hot.samples = 3;
  report.kernels[0].hot.lines[0].executed_share_pct = 12;
  const std::string text = ncu_report_text(report, {});
  EXPECT_TRUE(contains(text, "Share of executed instructions; 3 samples cannot say where warps wait")) << text;
  EXPECT_FALSE(contains(text, "81 % long_scoreboard")) << text;
}

TEST(HotLinesText, AbsentWithoutMeasuredInstructions) { EXPECT_FALSE(contains(ncu_report_text(testing::small_report(), {}), "HOT LINES")); }

TEST(HotLinesText, StaysInsideThePage) {
  report::HotLine line = hot_line(10);
  line.place.file = "/" + std::string(200, 'f') + ".cu";
  line.text = std::string(300, 'x');
  line.called_from = {{std::string(200, 'g'), 1}};
  EXPECT_TRUE(testing::too_wide(ncu_report_text(report_with(line), {}), 80).empty());
}

}  // namespace
}  // namespace frx::compose
