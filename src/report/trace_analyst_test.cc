#include "report/trace_analyst.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ingest/chrome_trace/testing.h"

namespace frx::report {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_with;

class TraceAnalysis : public ::testing::Test {
 protected:
  std::unique_ptr<TraceReport> report_on(const std::string& events) {
    const std::string text = trace_with(events);
    const std::unique_ptr<ByteSource> source = open_bytes(text);
    Result<std::unique_ptr<TraceReport>> report = analyst_->analyse("t.json", *source);
    if (!report) ADD_FAILURE() << to_string(report.error());
    return report ? std::move(*report) : nullptr;
  }

  std::unique_ptr<TraceAnalyst> analyst_ = TraceAnalyst::create("").value();
};

std::string steps(std::size_t count) {
  std::string events;
  for (std::size_t i = 0; i < count; ++i)
    events += event("user_annotation", fmt::format("ProfilerStep#{}", i), "1/1", 1000.0 * static_cast<double>(i), 1000);
  return events;
}

// Six steps that spend most of their time in a collective, on each of these GPUs.
std::string communicating(int gpus) {
  std::string events = steps(6);
  for (int step = 0; step < 6; ++step) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const std::string id = fmt::format(R"("correlation": {}, "device": {}, "stream": 7)", 1 + 10 * step + gpu, gpu);
      events += event("cuda_runtime", "cudaLaunchKernel", "1/1", 1000.0 * step + 10, 5, id);
      events += event("kernel", "ncclKernel_AllReduce", fmt::format("{}/7", gpu), 1000.0 * step + 20, 900, id);
    }
  }
  return events;
}

bool advises(const TraceReport& report, std::string_view id) {
  return std::ranges::any_of(report.scope().advice.recommendations, [&](const auto& one) { return one.id == id; });
}

TEST_F(TraceAnalysis, OneProcessWithSeveralGpusHasNoRankThatIsLate) {
  EXPECT_TRUE(advises(*report_on(communicating(1)), "rec_comm_find_straggler"));
  const auto data_parallel = report_on(communicating(2));
  EXPECT_EQ(data_parallel->scope().diagnosis.primary, "communication_bound");
  EXPECT_FALSE(advises(*data_parallel, "rec_comm_find_straggler"));
  EXPECT_TRUE(advises(*data_parallel, "rec_comm_overlap"));
}

std::string linear(std::size_t step, std::string_view dims) {
  return event("cpu_op", "aten::linear", "1/1", 1000.0 * static_cast<double>(step) + 100, 50, dims);
}

std::string notes_of(const TraceReport& report) {
  std::string text;
  for (const std::string& note : report.notes) text += note + "\n";
  return text;
}

TEST_F(TraceAnalysis, ShapesThatWereNotRecordedAreSaidToBeUnknown) {
  std::string events = steps(3);
  for (std::size_t i = 0; i < 3; ++i) events += linear(i, "");
  const auto report = report_on(events);
  EXPECT_FALSE(report->scope().facts[model::RunFact::shape_volatility]);
  EXPECT_NE(notes_of(*report).find("record_shapes=True"), std::string::npos) << notes_of(*report);
}

TEST_F(TraceAnalysis, TwoStepsThatDifferAreSaidToBeTooFew) {
  const auto report =
      report_on(steps(2) + linear(0, R"("Input Dims": [[8, 64], [64, 64]])") + linear(1, R"("Input Dims": [[3, 64], [64, 64]])"));
  EXPECT_FALSE(report->scope().facts[model::RunFact::shape_volatility]);
  EXPECT_NE(notes_of(*report).find("differ between steps 0 and 1: aten::linear [[8, 64], [64, 64]], then [[3, 64], [64, 64]]. More steps"),
            std::string::npos)
      << notes_of(*report);
}

TEST_F(TraceAnalysis, ShapesThatChangeAreShown) {
  std::string events = steps(4);
  for (std::size_t i = 0; i < 4; ++i) events += linear(i, fmt::format(R"("Input Dims": [[{}, 64], [64, 64], [], []])", 8 + i));
  const auto report = report_on(events);
  EXPECT_EQ(report->scope().diagnosis.primary, "shape_instability");
  ASSERT_FALSE(report->scope().diagnosis.findings.empty());
  EXPECT_EQ(report->scope().diagnosis.findings[0].worst_steps.size(), 3u) << "all steps that changed, as documented";
  EXPECT_NE(notes_of(*report).find("changed 3 times in 3 pairs of steps, last from step 2 to 3: aten::linear [[10, 64], [64, 64]], "
                                   "then [[11, 64], [64, 64]]"),
            std::string::npos)
      << notes_of(*report);
}

}  // namespace
}  // namespace frx::report
