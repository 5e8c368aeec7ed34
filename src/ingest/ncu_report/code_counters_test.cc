// Metrics with a value per instruction, as reports store them.
#include "ingest/ncu_report/code_counters.h"

#include <gmock/gmock.h>

#include "ingest/ncu_report/report.h"
#include "ingest/testing.h"
#include "support/ncu_report_from_yaml.h"

namespace frx::ingest::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

model::Session session_of_report(const std::string& yaml) {
  const Result<std::string> bytes = frx::testing::ncu_report_from_yaml("report.yaml", yaml);
  if (bytes) return session_of(*bytes);
  ADD_FAILURE() << to_string(bytes.error());
  return {};
}

// The one kernel whose instructions were measured.
model::CodeProfile code_of_report(const std::string& yaml) {
  const model::Session session = session_of_report(yaml);
  EXPECT_THAT(session.code, SizeIs(1));
  return session.code.empty() ? model::CodeProfile() : session.code[0];
}

std::vector<std::uint32_t> offsets(const model::CodeProfile& code) {
  std::vector<std::uint32_t> all;
  for (const model::CodeInstruction& instruction : code.instructions) all.push_back(instruction.offset);
  return all;
}

std::uint32_t stalled(const model::CodeProfile& code, std::size_t instruction, std::string_view reason) {
  const auto found = std::find(code.reasons.begin(), code.reasons.end(), reason);
  return found == code.reasons.end() ? 0 : code.instructions[instruction].stalls[static_cast<std::size_t>(found - code.reasons.begin())];
}

TEST(CodeCounters, CountFromTheBeginOfTheFunctionAndAddUpLaunches) {
  const model::CodeProfile code = code_of_report(R"(
launches:
  - kernel: k
    instances: {launch__function_pcs: {0: 0x1000}, inst_executed: {0x1000: 8, 0x1010: 4}, smsp__pcsamp_sample_count: {0x1010: 3}}
  - kernel: k
    instances: {launch__function_pcs: {0: 0x5000}, inst_executed: {0x5000: 8, 0x5010: 6}, smsp__pcsamp_sample_count: {0x5000: 1}}
)");
  EXPECT_EQ(code.launches, 2u);
  EXPECT_THAT(offsets(code), ElementsAre(0, 0x10));
  EXPECT_EQ(code.instructions[0].executed, 16u);
  EXPECT_EQ(code.instructions[1].executed, 10u);
  EXPECT_EQ(code.instructions[1].samples, 3u);
  EXPECT_EQ(code.samples, 4u);
  EXPECT_EQ(code.executed, 26u);
}

TEST(CodeCounters, KnowStallReasonsByAllTheirNames) {
  const model::CodeProfile code = code_of_report(R"(
launches:
  - kernel: k
    instances: {smsp__pcsamp_warps_issue_stalled_no_instructions: {0x10: 30}, smsp__pcsamp_warp_stall_wait: {0x10: 5},
                smsp__pcsamp_warps_issue_stalled_wait_not_issued: {0x10: 99}, smsp__pcsamp_sample_count: {0x10: 40}}
)");
  EXPECT_EQ(stalled(code, 0, "no_instruction"), 30u);
  EXPECT_EQ(stalled(code, 0, "wait"), 5u);
  EXPECT_EQ(code.samples, 40u);
}

TEST(CodeCounters, SumOfTheReasonsIsTheNumberOfSamplesOnlyWithAllReasons) {
  const char* const some = "launches: [{kernel: k, instances: {smsp__pcsamp_warps_issue_stalled_wait: {0x10: 5}}}]\n";
  EXPECT_FALSE(code_of_report(some).has_samples);
  const model::CodeProfile code = code_of_report(
      "launches: [{kernel: k, instances: {smsp__pcsamp_warps_issue_stalled_wait: {0x10: 5}, smsp__pcsamp_warps_issue_stalled_selected: "
      "{0x10: 2}}}]\n");
  EXPECT_TRUE(code.has_samples);
  EXPECT_EQ(code.samples, 7u);
}

TEST(CodeCounters, TakeTransfersOnlyWithWhatTheyShouldBe) {
  const model::CodeProfile code = code_of_report(R"(
launches:
  - kernel: k
    instances: {inst_executed: {0x0: 2, 0x10: 2, 0x20: 2}, memory_access_type: {0x0: 2, 0x10: 6, 0x20: 4},
                memory_l2_theoretical_sectors_global: {0x0: 64, 0x10: 8}, memory_l2_theoretical_sectors_global_ideal: {0x0: 8, 0x10: 8},
                memory_l1_wavefronts_shared: {0x20: 12}}
)");
  ASSERT_THAT(code.accesses, SizeIs(2));
  EXPECT_EQ(code.accesses[0].sectors, 64u);
  EXPECT_EQ(code.accesses[0].ideal_sectors, 8u);
  EXPECT_TRUE(code.accesses[0].loads && !code.accesses[0].stores);
  EXPECT_TRUE(code.accesses[1].loads && code.accesses[1].stores);
  EXPECT_EQ(code.instructions[2].access, model::CodeInstruction::none);
}

TEST(CodeCounters, TellTheFunctionsAKernelCallsApart) {
  const model::CodeProfile code = code_of_report(R"(
sources: [{reference: 5, functions: {_Z1kv: 0x1000, helper: 0x800}}]
launches:
  - {mangled: _Z1kv, demangled: k(), source: 5, instances: {launch__function_pcs: {0: 0x1000, 1: 0x800}, inst_executed: {0x1010: 4, 0x820: 6, 0x10: 1}}}
)");
  EXPECT_THAT(code.functions, ElementsAre("_Z1kv", "helper"));
  ASSERT_THAT(code.instructions, SizeIs(2));
  EXPECT_EQ(code.instructions[0].function, 0u);
  EXPECT_EQ(code.instructions[0].offset, 0x10u);
  EXPECT_EQ(code.instructions[1].function, 1u);
  EXPECT_EQ(code.instructions[1].offset, 0x20u);
}

TEST(CodeCounters, BeginAtTheFirstInstructionWhenTheReportDoesNotSay) {
  EXPECT_THAT(offsets(code_of_report("launches: [{kernel: k, instances: {inst_executed: {0x7000: 6, 0x7020: 4}}}]\n")),
              ElementsAre(0, 0x20));
}

TEST(CodeCounters, ReportsWithoutThemHaveNoCode) {
  EXPECT_THAT(session_of_report("launches: [{kernel: k, metrics: {inst_executed: 8, launch__function_pcs: 1}}]\n").code, SizeIs(0));
}

TEST(CodeCounters, LookAtTheFirstLaunchesOfAKernel) {
  std::string yaml = "launches:\n";
  for (int i = 0; i < 20; ++i) yaml += "  - {kernel: k, instances: {inst_executed: {0x0: 1}}}\n";
  const model::Session session = session_of_report(yaml);
  ASSERT_THAT(session.code, SizeIs(1));
  EXPECT_EQ(session.code[0].executed, 16u);
  EXPECT_TRUE(has_note(session, "hot lines come from the first 16 launches of a kernel; launches beyond: 4"));
}

TEST(CodeCounters, KeepNoMoreThanTheirLimits) {
  using namespace nsight;
  class OfOne : public ReportConsumer {
   public:
    Result<> launch(const Launch& launch, std::uint64_t, const StringTable& names) override {
      for (; names_ < names.size(); ++names_) counters.add_name(names[names_]);
      counters.take(launch, std::string(launch.best_name()));
      return {};
    }
    Result<> source(const SourceData&) override { return {}; }
    CodeCounters counters{catalogue(), CodeLimits{.kernels = 1, .instructions_of_kernel = 2, .instructions = 10}};

   private:
    std::uint32_t names_ = 0;
  } consumer;
  const Result<std::string> bytes = frx::testing::ncu_report_from_yaml("report.yaml", R"(
launches:
  - {kernel: one, instances: {inst_executed: {0x0: 1, 0x10: 2, 0x20: 4}}}
  - {kernel: two, instances: {inst_executed: {0x0: 1}}}
)");
  ASSERT_TRUE(bytes);
  const std::unique_ptr<ByteSource> source = open_bytes(*bytes);
  ASSERT_TRUE(read_report(*source, consumer));
  EXPECT_EQ(consumer.counters.launches_left_out(), 1u);
  const std::vector<CodeCounters::Code> codes = consumer.counters.finish();
  ASSERT_THAT(codes, SizeIs(1));
  EXPECT_TRUE(codes[0].cut);
  EXPECT_THAT(codes[0].profile.instructions, SizeIs(2));
  EXPECT_EQ(codes[0].profile.executed, 7u);  // shares stay right
}

}  // namespace
}  // namespace frx::ingest::testing
