// Real recordings of Nsight Systems and Nsight Compute of the same programs: every kernel finds its row.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>

#include "analyse/operators.h"
#include "derive/compare/launch_join.h"
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

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

// As another tool would spell it.
std::string respelled(std::string_view name) {
  std::string text = replaced(std::string(name), "<unnamed>", "(anonymous namespace)");
  for (const std::string_view cast : {"(int)", "(bool)", "(unsigned long)", "(unsigned int)"}) text = replaced(std::move(text), cast, "");
  return replaced(replaced(std::move(text), " *", "*"), " &", "&");
}

constexpr const char* recordings[] = {"nsys/sqlite_nsysai_mfu_2gpu_before.sqlite", "nsys/sqlite_power_iteration_baseline.sqlite",
                                      "nsys/sqlite_cs336_lecture_2025.sqlite", "nsys/sqlite_nsysai_h100_2gpu_1s.sqlite"};

TEST(OperatorCountersCorpus, WhatIsCalledExactIsRightWhereLaunchesOfARealProgramAreMissing) {
  FRX_NEEDS_CORPUS();
  analyse::Context context{analyse::Options()};
  const knowledge::Knowledge* const known = context.knowledge().value();
  std::mt19937 random(1);
  for (const char* const path : recordings) {
    const Result<report::OperatorProfile> recording =
        analyse::read_recording(analyse::input_of(ingest::Source::at((*testing::corpus() / path).string()), known->metrics), context);
    ASSERT_TRUE(recording) << to_string(recording.error());
    const report::OperatorManifest manifest = report::manifest_of(*recording);
    std::vector<derive::compare::JoinedLaunch> recorded, measured;
    std::vector<std::size_t> truth;
    std::deque<std::string> names;
    for (const report::ManifestKernel& kernel : manifest.kernels) {
      derive::compare::JoinedLaunch launch;
      launch.name = manifest.name_of(kernel);
      launch.grid = kernel.grid;
      launch.block = kernel.block;
      launch.device = kernel.device;
      launch.stream = kernel.stream;
      recorded.push_back(launch);
      if (random() % 200 == 0) continue;
      launch.name = names.emplace_back(respelled(launch.name));
      measured.push_back(launch);
      truth.push_back(recorded.size() - 1);
    }
    const derive::compare::LaunchJoin join = derive::compare::join_launches(recorded, measured);
    EXPECT_EQ(join.matches.size(), measured.size()) << path;
    for (const derive::compare::LaunchMatch& match : join.matches) {
      if (match.quality == derive::compare::MatchQuality::exact) EXPECT_EQ(truth[match.second], match.first) << path;
    }
  }
}

}  // namespace
}  // namespace frx
