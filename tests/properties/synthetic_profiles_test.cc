// Launches that a machine model made (tests/support/synthetic_profile.h): the label that leads is the cause they were made with.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "diagnose/diagnosis.h"
#include "ingest/profile.h"
#include "support/synthetic_profile.h"
#include "support/synthetic_score.h"

namespace frx {
namespace {

const knowledge::Knowledge& all_knowledge() {
  static const knowledge::Knowledge knowledge = knowledge::Knowledge::load("").value();
  return knowledge;
}

std::string numbers(const std::vector<std::uint64_t>& list) {
  std::string text;
  for (const std::uint64_t number : list) text += " " + std::to_string(number);
  return text;
}

TEST(SyntheticProfiles, TheCauseLeadsAndNothingForbiddenDoes) {
  const testing::SyntheticScore score = testing::score_synthetic(testing::synthetic_count, all_knowledge());
  ASSERT_GE(score.profiles(), 10000U);
  EXPECT_GE(static_cast<double>(score.right()), 0.98 * static_cast<double>(score.profiles()));
  EXPECT_EQ(score.forbidden(), 0U);
  for (const testing::CauseScore& one : score.causes) {
    EXPECT_GE(static_cast<double>(one.right), 0.94 * static_cast<double>(one.profiles)) << one.cause << ", wrong:" << numbers(one.wrong);
    EXPECT_GE(one.decided, one.profiles / 2) << one.cause;
  }
}

diagnose::RunDiagnosis diagnosis_of(const std::vector<testing::SyntheticProfile>& profiles) {
  const std::string csv = testing::csv_of(profiles, all_knowledge().metrics);
  const auto source = open_bytes(csv);
  model::Session session = ingest::read_profile("made", *source, all_knowledge().metrics).value();
  return diagnose::diagnose(std::move(session), all_knowledge(), {}).value();
}

// A launch of a ten-thousandth of the time is no reason to say something else.
TEST(SyntheticProfiles, ATinyKernelBesideItChangesNothing) {
  for (std::uint64_t i = 0; i < 220; ++i) {
    testing::SyntheticProfile profile = testing::synthetic_profile(i);
    const auto alone = diagnosis_of({profile});
    if (alone.primary == "insufficient_ncu_data") continue;  // what was not measured leads nothing that was
    testing::SyntheticProfile tiny = testing::synthetic_profile(i + 1);
    tiny.readings["kernel_duration"] = profile.readings["kernel_duration"] * 1e-4;
    const auto both = diagnosis_of({profile, tiny});
    EXPECT_EQ(alone.primary, both.primary) << profile.cause << ' ' << i;
  }
}

// Time at stake is a part of the time, and shares of warp time are parts of one whole.
TEST(SyntheticProfiles, WhatIsAtStakeIsAPartOfTheTime) {
  for (std::uint64_t i = 0; i < 440; ++i) {
    const auto run = diagnosis_of({testing::synthetic_profile(i)});
    for (const model::Finding& finding : run.findings) {
      if (!finding.time_at_stake) continue;
      EXPECT_GE(*finding.time_at_stake, 0) << finding.id() << ' ' << i;
      EXPECT_LE(*finding.time_at_stake, *run.duration * (1 + 1e-9)) << finding.id() << ' ' << i;
    }
  }
}

// A bound that a fix could exceed would be none. Counters are written with all digits, so that nothing is lost in between.
TEST(SyntheticProfiles, WhatIsAtStakeBoundsWhatTheModelCouldSave) {
  std::map<std::string_view, int> compared;
  for (std::uint64_t i = 0; i < 2200; ++i) {
    const testing::SyntheticProfile profile = testing::synthetic_profile(i);
    const auto run = diagnosis_of({profile});
    for (const model::Finding& finding : run.findings) {
      const auto savings = profile.could_save.find(finding.id());
      if (savings == profile.could_save.end() || !finding.time_at_stake) continue;
      ++compared[savings->first];
      EXPECT_GE(*finding.time_at_stake / *run.duration, savings->second - 1e-6) << finding.id() << ' ' << profile.cause << ' ' << i;
    }
  }
  for (const std::string_view label : {"uncoalesced_access", "shared_memory_bank_conflicts", "register_spills", "atomics_contention",
                                       "warp_divergence", "latency_bound", "low_issue_efficiency", "grid_too_small"})
    EXPECT_GE(compared[label], 20) << label;
}

// More of what limits never makes another label lead, once its own does.
TEST(SyntheticProfiles, MoreOfTheStallThatLeadsKeepsItLeading) {
  const std::map<std::string, std::string_view> decisive = {
      {"load_latency", "warp_stall_long_scoreboard"}, {"barriers", "warp_stall_barrier"}, {"dependencies", "warp_stall_wait"}};
  for (std::uint64_t i = 0; i < 440; ++i) {
    testing::SyntheticProfile profile = testing::synthetic_profile(i);
    const auto metric = decisive.find(profile.cause);
    if (metric == decisive.end() || !profile.is_decided) continue;
    const auto before = diagnosis_of({profile});
    for (double more = 1.02; more < 1.1; more += 0.02) {
      profile.readings[metric->second] *= more;
      EXPECT_EQ(diagnosis_of({profile}).primary, before.primary) << profile.cause << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace frx
