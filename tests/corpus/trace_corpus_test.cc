// The traces of the corpus may not be read, measured or judged worse than they were.
#include <gtest/gtest.h>

#include "corpus/trace_truth.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

using Checks = std::vector<TraceCheck>;

void are_read_or_refused_with_a_reason(const Checks& checks) {
  ASSERT_GE(checks.size(), 100u);
  std::vector<std::string> refused;
  for (const TraceCheck& check : checks) {
    if (!check.refused.empty()) refused.push_back(check.name);
  }
  EXPECT_EQ(refused,
            (std::vector<std::string>{"ebpf_cuda_monitor_not_torch.json", "tf_trace_viewer_not_torch.json", "derived_empty.json",
                                      "derived_empty_events.json", "derived_events_not_objects.json", "derived_deep_nesting.json"}));
}

void times_of_gpus_are_those_that_others_measured(const Checks& checks) {
  int compared = 0, equal = 0;
  for (const TraceCheck& check : checks) {
    compared += check.numbers().first;
    equal += check.numbers().second;
  }
  EXPECT_GE(compared, 100);
  EXPECT_GE(equal * 100, compared * 90) << equal << " of " << compared;
}

void diagnosis_agrees_with_what_is_known(const Checks& checks) {
  for (const TraceCheck& check : checks) {
    EXPECT_TRUE(check.agrees()) << check.name << ": " << check.user_facing;
  }
}

// A fifth of a step or more that is lost for one reason has a name.
void a_large_idle_part_leads_to_a_label(const Checks& checks) {
  int large = 0;
  for (const TraceCheck& check : checks) {
    if (check.largest_idle < 0.2) continue;
    ++large;
    for (const std::string_view none : {"", "inconclusive", "insufficient_telemetry", "gpu_kept_busy"})
      EXPECT_NE(check.user_facing, none) << check.name << ' ' << check.largest_idle;
  }
  EXPECT_GE(large, 40);
}

// Complete: each kernel has its launch in the file, and operators were recorded on all threads (not so before PyTorch 1.8).
void nearly_every_kernel_of_a_complete_trace_has_an_operator(const Checks& checks) {
  std::uint64_t kernels = 0, attributed = 0;
  for (const TraceCheck& check : checks) {
    if (check.kernels < 50 || check.kernels_with_launch < check.kernels || check.name.starts_with("gaoteng_") || check.kernels_with_op == 0)
      continue;
    kernels += check.kernels;
    attributed += check.kernels_with_op;
    EXPECT_GE(*check.attributed_pct(), 98) << check.name;
  }
  EXPECT_GE(kernels, 50000u);
  EXPECT_GE(attributed * 1000, kernels * 995);
}

// One test, because reading them all takes a while.
TEST(CorpusTraces, AreReadMeasuredAndJudgedAsBefore) {
  FRX_NEEDS_CORPUS();
  const Checks checks = check_traces(*testing::corpus());
  are_read_or_refused_with_a_reason(checks);
  times_of_gpus_are_those_that_others_measured(checks);
  diagnosis_agrees_with_what_is_known(checks);
  a_large_idle_part_leads_to_a_label(checks);
  nearly_every_kernel_of_a_complete_trace_has_an_operator(checks);
}

}  // namespace
}  // namespace frx::corpus
