// Source lines of measured instructions, from the cubins in reports.
#include "ingest/ncu_report/code_places.h"

#include <gmock/gmock.h>

#include "ingest/cubin/testing.h"
#include "ingest/testing.h"
#include "support/ncu_report_writer.h"

namespace frx::ingest::testing {
namespace {

using frx::testing::ReportSource;
using ::testing::SizeIs;

// The cubin of two_kernels(), which has code inlined from inc/tool.h.
ReportSource two_kernels() {
  return {.reference = 5,
          .cubin = cubin::testing::two_kernels().bytes(),
          .functions = {{"alpha", 0x1000}},
          .files = {{"/src/kernel.cu", std::string(12, '\n') + "  x = y;\n"}}};
}

// A launch of `alpha` with four instructions.
model::Session session_with(const std::vector<ReportSource>& sources) {
  frx::testing::ReportMetric begins{.name = "launch__function_pcs", .instances = {{std::uint64_t{0}, std::uint64_t{0x1000}}}};
  frx::testing::ReportMetric executed{.name = "inst_executed"};
  for (const std::uint64_t address : {0x1000u, 0x1020u, 0x1030u, 0x1040u}) executed.instances.push_back({address, std::uint64_t{1}});
  const frx::testing::ReportLaunch launch{.mangled = "alpha", .demangled = "alpha()", .source = 5, .metrics = {begins, executed}};
  frx::testing::NcuReportWriter writer;
  writer.add({.sources = sources, .results = {launch}});
  return session_of(writer.bytes());
}

TEST(CodePlaces, FindTheLineAndTheCallsThatLedThere) {
  const model::Session session = session_with({two_kernels()});
  ASSERT_THAT(session.code, SizeIs(1));
  const model::CodeProfile& code = session.code[0];
  const auto place = [&](std::uint32_t at) { return code.files[code.places[at].file] + ":" + std::to_string(code.places[at].line); };
  EXPECT_EQ(place(code.instructions[0].place), "/src/kernel.cu:10");
  const model::CodePlace& inlined = code.places[code.instructions[1].place];
  EXPECT_EQ(place(code.instructions[1].place), "inc/tool.h:3");
  EXPECT_EQ(place(inlined.called_from), "inc/tool.h:7");
  EXPECT_EQ(place(code.places[inlined.called_from].called_from), "/src/kernel.cu:12");
  EXPECT_EQ(code.instructions[3].place, model::CodeInstruction::none);
}

TEST(CodePlaces, TakeTheTextOfTheLineFromTheReport) {
  const model::CodeProfile code = session_with({two_kernels()}).code.at(0);
  EXPECT_EQ(code.places[code.instructions[2].place].text, "x = y;");
  EXPECT_EQ(code.places[code.instructions[0].place].text, "");
}

TEST(CodePlaces, CodeThatWasCompiledForDebuggingIsNamed) {
  cubin::testing::ElfWriter debug(190);
  debug.section(".nv_debug_info_reg_sass", 1, "x", 0);
  EXPECT_THAT(session_with({{.reference = 5, .cubin = debug.bytes()}}).debug_kernels, ::testing::ElementsAre("alpha()"));
  EXPECT_THAT(session_with({{.reference = 6, .cubin = debug.bytes()}}).debug_kernels, SizeIs(0));
  EXPECT_THAT(session_with({two_kernels()}).debug_kernels, SizeIs(0));
}

TEST(CodePlaces, AReferenceThatComesAgainAddsOnlyFunctions) {
  const model::CodeProfile code = session_with({two_kernels(), {.reference = 5, .functions = {{"beta", 0x2000}}}}).code.at(0);
  EXPECT_NE(code.instructions[0].place, model::CodeInstruction::none);
}

TEST(CodePlaces, ADamagedCubinIsANote) {
  cubin::testing::Sketch sketch = cubin::testing::two_kernels();
  sketch.line = sketch.line.substr(0, 20);
  const model::Session session = session_with({{.reference = 5, .cubin = sketch.bytes()}});
  EXPECT_THAT(session.code.at(0).places, SizeIs(0));
  EXPECT_TRUE(has_note(session, "source lines cannot be read"));
}

TEST(CodePlaces, SayNothingWhenTwoProgramsShareAReference) {
  EXPECT_THAT(session_with({two_kernels(), {.reference = 5, .cubin = "another program"}}).code.at(0).places, SizeIs(0));
}

}  // namespace
}  // namespace frx::ingest::testing
