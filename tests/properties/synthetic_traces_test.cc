// Traces that a machine made (tests/support/synthetic_trace.h): the label that leads is what the program loses most time to.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "report/time_parts.h"
#include "support/synthetic_trace.h"
#include "support/synthetic_trace_score.h"

namespace frx {
namespace {

const report::TraceAnalyst& trace_analyst() {
  static const std::unique_ptr<report::TraceAnalyst> analyst = report::TraceAnalyst::create("").value();
  return *analyst;
}

std::unique_ptr<report::TraceReport> report_of(const testing::SyntheticTrace& trace) {
  const auto source = open_bytes(trace.json);
  return trace_analyst().analyse("made.json", *source).value();
}

bool is_right(const testing::SyntheticTrace& trace, const report::TraceReport& report) {
  return std::ranges::find(trace.accepted, report.scope().diagnosis.user_facing) != trace.accepted.end();
}

TEST(SyntheticTraces, TheCauseLeadsAndNothingForbiddenDoes) {
  const testing::SyntheticScore score = testing::score_synthetic_traces(testing::synthetic_trace_count, trace_analyst());
  ASSERT_GE(score.profiles(), 10000U);
  EXPECT_GE(static_cast<double>(score.right()), 0.98 * static_cast<double>(score.profiles()));
  EXPECT_EQ(score.forbidden(), 0U);
  for (const testing::CauseScore& one : score.causes) {
    EXPECT_GE(static_cast<double>(one.right), 0.94 * static_cast<double>(one.profiles)) << one.cause;
    EXPECT_GE(one.decided, one.profiles / 2) << one.cause;
  }
}

// The parts of a step are parts of one whole, for every GPU and every step.
TEST(SyntheticTraces, PartsAddUpToTheStep) {
  for (std::uint64_t i = 0; i < 420; ++i) {
    const auto report = report_of(testing::synthetic_trace(i));
    for (const model::StepTable& process : report->processes) {
      for (const model::GpuSteps& gpu : process.gpus) {
        for (const model::GpuTime& step : gpu.steps) {
          std::int64_t sum = 0;
          for (const report::TimePart& part : report::parts_of(step)) {
            EXPECT_GE(part.ns, 0) << i;
            sum += part.ns;
          }
          EXPECT_EQ(sum, step.span) << i;
        }
      }
    }
  }
}

// Of programs of three steps or more: in shorter ones the beginning is a large part.
TEST(SyntheticTraces, OneMoreStepChangesNothing) {
  for (std::uint64_t i = 0; i < 840; ++i) {
    const testing::SyntheticTrace trace = testing::synthetic_trace(i);
    if (!trace.is_decided || trace.cause == "anything" || trace.cause == "cold_start" || trace.cause == "late_begin") continue;
    const auto before = report_of(trace);
    if (before->step_count() < 3 || !is_right(trace, *before)) continue;
    const testing::SyntheticTrace longer = testing::synthetic_trace(i, {.more_steps = 1});
    EXPECT_TRUE(is_right(longer, *report_of(longer))) << trace.cause << ' ' << i;
  }
}

TEST(SyntheticTraces, ATinyKernelChangesNothing) {
  for (std::uint64_t i = 0; i < 840; ++i) {
    const testing::SyntheticTrace trace = testing::synthetic_trace(i);
    if (!trace.is_decided) continue;
    const std::string before = report_of(trace)->scope().diagnosis.user_facing;
    const testing::SyntheticTrace with = testing::synthetic_trace(i, {.has_tiny_kernel = true});
    const auto after = report_of(with);
    EXPECT_TRUE(after->scope().diagnosis.user_facing == before || is_right(with, *after)) << trace.cause << ' ' << i;
  }
}

}  // namespace
}  // namespace frx
