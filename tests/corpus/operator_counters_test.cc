// Real recordings of Nsight Systems and Nsight Compute of the same programs: every kernel finds its row.
#include <gtest/gtest.h>

#include "analyse/operators.h"
#include "support/corpus.h"

namespace frx {
namespace {

struct Pair {
  const char *recording, *counters;
};

constexpr Pair pairs[] = {
    {"nsys/sqlite_extrap_ex_gpu_s10.sqlite", "ncurep/extrap_a100_ex_gpu_s10.ncu-rep"},
    {"nsys/sqlite_extrap_ex_gpu_s1000.sqlite", "ncurep/extrap_a100_ex_gpu_s1000.ncu-rep"},
};

TEST(OperatorCountersCorpus, EveryKernelOfTheSameProgramFindsItsRow) {
  FRX_NEEDS_CORPUS();
  analyse::Context context{analyse::Options()};
  const knowledge::Knowledge* const known = context.knowledge().value();
  const auto input = [&](const char* path) {
    return analyse::input_of(ingest::Source::at((*testing::corpus() / path).string()), known->metrics);
  };
  for (const Pair& pair : pairs) {
    const Result<report::OperatorProfile> recording = analyse::read_recording(input(pair.recording), context);
    ASSERT_TRUE(recording) << to_string(recording.error());
    const report::OperatorManifest manifest = report::manifest_of(*recording);
    const Result<analyse::OperatorCounters> counters = analyse::read_counters(input(pair.counters), manifest, {}, context);
    ASSERT_TRUE(counters) << to_string(counters.error());
    EXPECT_EQ(counters->joined.covered_pct, 100) << pair.recording;
    for (const report::KernelCounters& kernel : counters->joined.kernels)
      EXPECT_EQ(kernel.quality, derive::compare::MatchQuality::exact) << pair.recording;
  }
}

}  // namespace
}  // namespace frx
