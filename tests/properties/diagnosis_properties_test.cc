// What holds of the diagnosis of any launch, whatever limits it: made-up launches (tests/support/synthetic_profile.h) are changed in a way
// whose effect is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "advise/catalogue.h"
#include "base/files.h"
#include "report/analyse.h"
#include "support/synthetic_profile.h"

namespace frx {
namespace {

using testing::SyntheticProfile;
using Profiles = std::vector<SyntheticProfile>;

// Two for each cause, one of them with all sections.
constexpr std::uint64_t some_launches = 104;

report::Analyst& analyst() {
  static const std::unique_ptr<report::Analyst> one = report::Analyst::create({}).value();
  return *one;
}

const report::NcuReport& report_of(const Profiles& profiles) {
  const std::string csv = testing::csv_of(profiles, analyst().knowledge().metrics);
  const auto source = open_bytes(csv);
  return *analyst().analyse("made", *source).value();
}

SyntheticProfile launch(std::map<std::string_view, double> readings) {
  SyntheticProfile profile;
  profile.kernel = "stencil";
  profile.readings = std::move(readings);
  profile.readings.try_emplace("kernel_duration", 400000);
  return profile;
}

std::set<std::string_view> names_of(const report::NcuReport& report) {
  std::set<std::string_view> names;
  for (const model::Finding& finding : report.findings) names.insert(finding.id());
  return names;
}

bool is_one_of(std::string_view label, const std::vector<std::string_view>& labels) {
  return std::ranges::find(labels, label) != labels.end();
}

const advise::Recommendation* card_in(const report::NcuReport& report, std::string_view id) {
  const auto at = std::ranges::find(report.advice.recommendations, id, &advise::Recommendation::id);
  return at == report.advice.recommendations.end() ? nullptr : &*at;
}

double shuffled(std::mt19937_64& engine, double low, double high) {
  return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
}

// ---- A1, A13: units

constexpr std::array units = {"sm_throughput_pct", "memory_throughput_pct", "dram_throughput_pct", "l2_throughput_pct",
                              "memory_busy_pct",   "max_bandwidth_pct",     "mem_pipes_busy_pct"};

TEST(DiagnosisProperties, ASaturatedUnitHasANameWhateverElseWasCollected) {
  std::mt19937_64 engine(11);
  for (int i = 0; i < 300; ++i) {
    const std::string_view full = units[engine() % units.size()];
    SyntheticProfile profile = launch({{full, shuffled(engine, 82, 97)}});
    for (const std::string_view other : units) {
      if (engine() % 2 == 0) profile.readings.try_emplace(other, shuffled(engine, 2, 50));
    }
    const report::NcuReport& report = report_of({profile});
    EXPECT_FALSE(
        is_one_of(report.primary, {"inconclusive", "insufficient_ncu_data", "latency_bound", "grid_too_small", "occupancy_limited"}))
        << full << ": " << report.primary << ' ' << i;
  }
}

// The same work of an SM on fewer and fewer of them: from some point on it is the grid, and never the pipe again.
TEST(DiagnosisProperties, APipeThatIsFullWhereItRunsIsNoLimitOfAnEmptyGpu) {
  for (const std::string_view pipe : {"pipe_fma_active_pct", "pipe_alu_active_pct", "sm_busy_pct", "tensor_core_utilization_pct"}) {
    bool was_grid = false;
    for (double blocks = 132; blocks >= 4; blocks -= 4) {
      const report::NcuReport& report =
          report_of({launch({{pipe, 94}, {"sm_count", 132}, {"grid_size", blocks}, {"dram_throughput_pct", 4}})});
      const bool is_grid = report.primary == "grid_too_small";
      EXPECT_TRUE(is_grid || !was_grid) << pipe << ' ' << blocks << ": " << report.primary;
      was_grid = is_grid;
      if (blocks < 0.5 * 132) EXPECT_TRUE(is_grid) << pipe << ' ' << blocks << ": " << report.primary;
      if (blocks < 0.9 * 132) EXPECT_TRUE(names_of(report).contains("grid_too_small")) << pipe << ' ' << blocks;
    }
  }
}

TEST(DiagnosisProperties, MoreOfTheUnitThatLimitsKeepsItLeading) {
  const std::map<std::string, std::string_view> decisive = {{"dram_stream", "dram_throughput_pct"}, {"fma_pipe", "sm_throughput_pct"}};
  for (std::uint64_t i = 0; i < 4 * some_launches; ++i) {
    SyntheticProfile profile = testing::synthetic_profile(i);
    const auto metric = decisive.find(profile.cause);
    if (metric == decisive.end() || !profile.readings.contains(metric->second)) continue;
    for (double value = profile.readings[metric->second]; value <= 99; value += 3) {
      profile.readings[metric->second] = value;
      profile.readings["memory_throughput_pct"] =
          std::max(profile.readings["memory_throughput_pct"], metric->second == "dram_throughput_pct" ? value : 0);
      const std::string primary = report_of({profile}).primary;
      EXPECT_TRUE(is_one_of(primary, profile.accepted)) << profile.cause << ' ' << i << " at " << value << ": " << primary;
    }
  }
}

// ---- A2: waste is weighed at the level that is saturated

TEST(DiagnosisProperties, WhatDramMovesSaysNothingWhereL2Limits) {
  for (std::uint64_t i = 0; i < 8 * some_launches; ++i) {
    SyntheticProfile profile = testing::synthetic_profile(i);
    if ((profile.cause != "l2_waste" && profile.cause != "l2_reuse") || !profile.readings.contains("dram_bytes")) continue;
    const std::string before = report_of({profile}).primary;
    for (const double factor : {0.5, 0.8, 1.25}) {
      SyntheticProfile other = profile;
      other.readings["dram_bytes"] *= factor;
      EXPECT_EQ(report_of({other}).primary, before) << profile.cause << ' ' << i << " x " << factor;
    }
  }
}

// ---- A3: bounds are not values

TEST(DiagnosisProperties, SectorsPerRequestAloneAreUndecidedBetweenTheirBounds) {
  for (double sectors = 0.5; sectors <= 32; sectors += 0.5) {
    const report::NcuReport& report =
        report_of({launch({{"global_load_sectors_per_request", sectors}, {"dram_throughput_pct", 85}, {"sm_throughput_pct", 20}})});
    const auto found = std::ranges::find_if(report.others, [](const model::Finding& one) { return one.id() == "uncoalesced_access"; });
    const bool undecided = found != report.others.end() && found->verdict == model::Verdict::cannot_tell;
    if (sectors > 1 && sectors <= 16) EXPECT_TRUE(undecided) << sectors;
    if (sectors <= 1) EXPECT_FALSE(undecided) << sectors;
  }
}

// ---- A4: occupancy

TEST(DiagnosisProperties, FewerRegistersAreAdvisedOnlyWhereTheyLimit) {
  int advised = 0;
  for (std::uint64_t i = 0; i < 8 * some_launches; ++i) {
    const SyntheticProfile profile = testing::synthetic_profile(i);
    const auto& readings = profile.readings;
    if (!readings.contains("occupancy_limit_registers") || !readings.contains("theoretical_occupancy_pct")) continue;
    const report::NcuReport& report = report_of({profile});
    if (!card_in(report, "rec_ncu_reduce_register_pressure")) continue;
    ++advised;
    EXPECT_LT(readings.at("theoretical_occupancy_pct"), 95) << profile.cause << ' ' << i;
    for (const std::string_view other : {"occupancy_limit_warps", "occupancy_limit_blocks"})
      EXPECT_LT(readings.at("occupancy_limit_registers"), readings.at(other)) << profile.cause << ' ' << i;
  }
  EXPECT_GT(advised, 5);
}

// ---- A5, A15: what leads has advice, and the first card answers it

// Some rule proposes the card for this label. It may be given for another one that holds, too.
bool answers(std::string_view card, std::string_view label) {
  static const advise::Catalogue catalogue = advise::Catalogue::load(analyst().knowledge()).value();
  return std::ranges::any_of(catalogue.rules(), [&](const advise::Rule& rule) {
    return rule.bottleneck == label && std::ranges::any_of(rule.cards, [&](const advise::Card* one) { return one->id == card; });
  });
}

TEST(DiagnosisProperties, WhateverLeadsHasACardThatAnswersIt) {
  for (std::uint64_t i = 0; i < 13 * some_launches; ++i) {
    const SyntheticProfile profile = testing::synthetic_profile(i);
    const report::NcuReport& report = report_of({profile});
    ASSERT_FALSE(report.advice.recommendations.empty()) << profile.cause << ' ' << i << ": " << report.primary;
    EXPECT_TRUE(answers(report.advice.recommendations.front().id, report.primary))
        << profile.cause << ' ' << i << ": " << report.advice.recommendations.front().id << " for " << report.primary;
  }
}

// Readings of launches that have nothing to do with each other, so that conditions meet that no machine would bring together.
TEST(DiagnosisProperties, OfAnyMixtureOfCountersWhateverLeadsHasACard) {
  std::mt19937_64 engine(15);
  std::map<std::string, std::string> without;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t first = engine() % 5000, second = engine() % 5000;
    SyntheticProfile mixed = testing::synthetic_profile(first);
    for (const auto& [metric, value] : testing::synthetic_profile(second).readings) {
      if (engine() % 2 == 0) mixed.readings[metric] = value;
    }
    for (auto reading = mixed.readings.begin(); reading != mixed.readings.end();) {
      const bool leaves = engine() % 5 == 0 && reading->first != "kernel_duration";
      reading = leaves ? mixed.readings.erase(reading) : std::next(reading);
    }
    const report::NcuReport& report = report_of({mixed});
    if (!report.advice.recommendations.empty()) continue;
    without.try_emplace(report.primary, fmt::format("{} and {} of try {}", first, second, i));
  }
  for (const auto& [label, example] : without) ADD_FAILURE() << label << " leads without a card: " << example;
}

TEST(DiagnosisProperties, WhatUsesTheTensorCoresIsNotSentToThem) {
  for (std::uint64_t i = 0; i < 8 * some_launches; ++i) {
    const SyntheticProfile profile = testing::synthetic_profile(i);
    if (profile.cause != "tensor_pipe") continue;
    EXPECT_FALSE(card_in(report_of({profile}), "rec_ncu_use_tensor_ops")) << i;
  }
}

// ---- A6: no cliffs

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> stalls = {{{"warp_stall_long_scoreboard", "warp_stall_memory"},
                                                                                  {"warp_stall_barrier", "warp_stall_sync"},
                                                                                  {"warp_stall_wait", "fixed_latency_dependency"},
                                                                                  {"warp_stall_no_instruction", "instruction_fetch"},
                                                                                  {"warp_stall_imc_miss", "constant_cache_misses"}}};

TEST(DiagnosisProperties, OfTwoStallsThatAreNearlyEqualBothAreNamed) {
  for (const auto& [first, first_label] : stalls) {
    for (const auto& [second, second_label] : stalls) {
      if (first == second) continue;
      for (const double other : {24.0, 23.5, 22.5}) {
        SyntheticProfile profile = launch({{"sm_throughput_pct", 25}, {"memory_throughput_pct", 20}, {"dram_throughput_pct", 15}});
        for (const auto& [stall, label] : stalls) profile.readings[stall] = 5;
        profile.readings[first] = 24;
        profile.readings[second] = other;
        const report::NcuReport& report = report_of({profile});
        EXPECT_TRUE(names_of(report).contains(first_label)) << first << " beside " << second << ' ' << other;
        EXPECT_TRUE(names_of(report).contains(second_label)) << second << " beside " << first << ' ' << other;
        EXPECT_EQ(report.primary, other == 24 ? report.primary : first_label) << first << " beside " << second << ' ' << other;
      }
    }
  }
}

TEST(DiagnosisProperties, TheLastBitOfACountChangesNothing) {
  std::mt19937_64 engine(6);
  for (std::uint64_t i = 0; i < 2 * some_launches; ++i) {
    const SyntheticProfile profile = testing::synthetic_profile(i);
    const report::NcuReport& before = report_of({profile});
    SyntheticProfile other = profile;
    for (auto& [metric, value] : other.readings) {
      const bool is_whole = metric == "grid_size" || metric == "threads_per_block" || metric.starts_with("occupancy_limit") ||
                            metric == "registers_per_thread" || metric == "sm_count" || metric.starts_with("shared_memory");
      if (!is_whole) value *= engine() % 2 == 0 ? 1 + 1e-12 : 1 - 1e-12;
    }
    const report::NcuReport& after = report_of({other});
    EXPECT_EQ(after.primary, before.primary) << profile.cause << ' ' << i;
    EXPECT_EQ(names_of(after), names_of(before)) << profile.cause << ' ' << i;
  }
}

// ---- A7: shares are parts of one whole

TEST(DiagnosisProperties, StallsOfDifferentLaunchesTogetherAreNoMoreThanTheTimeOfWarps) {
  for (std::uint64_t i = 0; i < some_launches; ++i) {
    SyntheticProfile one = testing::synthetic_profile(2 * i), two = testing::synthetic_profile(2 * i + 7);
    one.kernel = two.kernel = "stencil";
    const report::NcuReport& report = report_of({one, two});
    double sum = 0;
    for (const report::Stall& stall : report.stalls) sum += stall.pct;
    EXPECT_LE(sum, 100.01) << one.cause << " and " << two.cause << ' ' << i;
    for (const report::Kernel& kernel : report.kernels) {
      double of_kernel = 0;
      for (const report::Stall& stall : kernel.stalls) of_kernel += stall.pct;
      EXPECT_LE(of_kernel, 100.01) << kernel.name;
    }
  }
}

TEST(DiagnosisProperties, SharesOfTimeOfTheFindingsOfARunAreSharesOfOneRun) {
  for (std::uint64_t i = 0; i < some_launches; ++i) {
    const report::NcuReport& report =
        report_of({testing::synthetic_profile(i), testing::synthetic_profile(i + 1), testing::synthetic_profile(i + 2)});
    for (const model::Finding& finding : report.findings) {
      EXPECT_GE(finding.score, 0) << finding.id();
      EXPECT_LE(finding.score, 1) << finding.id();
      EXPECT_LE(finding.time_share, 1) << finding.id();
    }
  }
}

// ---- A11: what is in the file is used, what is not says nothing

TEST(DiagnosisProperties, AKernelWithoutMetricsChangesNothing) {
  for (std::uint64_t i = 0; i < 2 * some_launches; ++i) {
    const SyntheticProfile profile = testing::synthetic_profile(i);
    const std::string alone = report_of({profile}).primary;
    if (alone == "insufficient_ncu_data") continue;
    const SyntheticProfile silent = launch({{"kernel_duration", 10 * profile.readings.at("kernel_duration")}});
    EXPECT_EQ(report_of({profile, silent}).primary, alone) << profile.cause << ' ' << i;
  }
}

// Any one counter less: how busy units were and what warps waited for may lead then, and nothing else that could not help.
TEST(DiagnosisProperties, OneCounterLessGivesNoForbiddenLead) {
  const std::vector<std::string_view> measured = {"memory_bandwidth_bound", "compute_bound",     "l1_throughput_bound",
                                                  "memory_system_bound",    "warp_stall_memory", "warp_divergence",
                                                  "latency_bound",          "inconclusive",      "insufficient_ncu_data"};
  for (std::uint64_t i = 0; i < some_launches; ++i) {
    const SyntheticProfile profile = testing::synthetic_profile(i);
    if (!profile.is_decided) continue;
    Profiles without_one;
    std::vector<std::string_view> missing;
    for (const auto& [metric, value] : profile.readings) {
      if (metric == "kernel_duration") continue;
      missing.push_back(metric);
      without_one.push_back(profile);
      without_one.back().readings.erase(metric);
    }
    for (const report::Kernel& kernel : report_of(without_one).kernels) {
      // "stencil_17(float *, int)"
      const std::size_t number = std::stoul(kernel.name.substr(kernel.name.rfind('_', kernel.name.find('(')) + 1));
      if (is_one_of(kernel.primary, measured)) continue;
      EXPECT_FALSE(is_one_of(kernel.primary, profile.forbidden))
          << profile.cause << ' ' << i << " without " << missing[number] << ": " << kernel.primary;
    }
  }
}

}  // namespace
}  // namespace frx
