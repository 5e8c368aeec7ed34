#include "derive/tune/search.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace frx::derive::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A program whose steps take exactly as long as they should.
struct SteadyProgram {
  std::vector<Configuration> pool;
  std::vector<std::string> labels;
  std::map<std::string, double> speeds;        // 1 where it is not named
  std::map<std::string, RunOutcome> outcomes;  // in place of times
  std::vector<std::string> asked;              // "base", "race a", "full a"

  void add(const std::string& label, Settings settings, double speed, bool is_documented = true) {
    pool.push_back({std::move(settings), is_documented});
    labels.push_back(label);
    speeds[label] = speed;
  }

  RunOutcome measured(const RunRequest& request, const SearchRules& rules) const {
    const std::string label = request.configuration ? labels[*request.configuration] : "";
    if (const auto found = outcomes.find(label); found != outcomes.end()) return found->second;
    const auto speed = speeds.find(label);
    return {std::vector<double>(request.stage == Stage::race ? rules.race_steps : rules.full_steps,
                                10 / (speed == speeds.end() ? 1 : speed->second))};
  }

  SearchResult tune(const SearchRules& rules) {
    Search search(pool, labels, rules);
    asked.clear();
    while (const std::optional<RunRequest> request = search.next()) {
      const std::string label = request->configuration ? labels[*request->configuration] : "";
      asked.push_back(request->stage == Stage::race ? "race " + label : request->stage == Stage::full ? "full " + label : "base");
      search.record(*request, measured(*request, rules));
    }
    return search.result();
  }
};

SteadyProgram program_of_workers() {
  SteadyProgram program;
  const std::vector<double> speeds = {1.0, 1.1, 1.4, 1.3, 1.2};
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    program.add(fmt::format("nw{}", 2 * i), {{"FRX_NUM_WORKERS", std::to_string(2 * i)}}, speeds[i]);
  }
  return program;
}

SearchRules documented() {
  SearchRules rules;
  rules.adaptive = false;
  return rules;
}

// --- The documented flow ---

TEST(DocumentedSearch, RacesAllAndRunsTheFastest) {
  SteadyProgram program = program_of_workers();
  const SearchResult result = program.tune(documented());
  EXPECT_THAT(program.asked,
              ElementsAre("base", "race nw0", "race nw2", "race nw4", "race nw6", "race nw8", "full nw4", "full nw6", "full nw8"));
  ASSERT_TRUE(result.winner.has_value());
  EXPECT_EQ(program.labels[*result.winner], "nw4");
}

TEST(DocumentedSearch, IsCutToMaxTrials) {
  SteadyProgram program = program_of_workers();
  SearchRules rules = documented();
  rules.max_trials = 4;
  rules.promote_count = 1;
  program.tune(rules);
  EXPECT_THAT(program.asked, ElementsAre("base", "race nw0", "race nw2", "race nw4", "race nw6", "full nw4"));
}

TEST(DocumentedSearch, RepeatsAlternateInTheirOrder) {
  SteadyProgram program = program_of_workers();
  SearchRules rules = documented();
  rules.repeat_count = 2;
  rules.max_trials = 2;
  program.tune(rules);
  EXPECT_THAT(program.asked, ElementsAre("base", "full nw0", "full nw2", "full nw2", "full nw0", "base"));
}

TEST(DocumentedSearch, FewCandidatesAreNotRaced) {
  SteadyProgram program = program_of_workers();
  SearchRules rules = documented();
  rules.max_trials = 3;
  program.tune(rules);
  EXPECT_THAT(program.asked, ElementsAre("base", "full nw0", "full nw2", "full nw4"));
}

TEST(DocumentedSearch, WhatFailedInTheRaceIsNotPromoted) {
  SteadyProgram program = program_of_workers();
  program.outcomes["nw4"] = {{}, false};
  const SearchResult result = program.tune(documented());
  EXPECT_EQ(std::ranges::count(program.asked, "full nw4"), 0);
  ASSERT_TRUE(result.winner.has_value());
  EXPECT_EQ(program.labels[*result.winner], "nw6");
  EXPECT_EQ(result.standings[2].verdict, Verdict::unusable);
}

// --- Both ---

class EitherSearch : public ::testing::TestWithParam<bool> {
 protected:
  SearchRules rules() const {
    SearchRules rules;
    rules.adaptive = GetParam();
    return rules;
  }
};
INSTANTIATE_TEST_SUITE_P(Search, EitherSearch, ::testing::Bool());

TEST_P(EitherSearch, WithoutABaselineThereIsNothingToCompareWith) {
  SteadyProgram program = program_of_workers();
  program.outcomes[""] = {{}, false};
  const SearchResult result = program.tune(rules());
  EXPECT_THAT(program.asked, ElementsAre("base"));
  EXPECT_FALSE(result.winner.has_value());
  EXPECT_THAT(result.standings, IsEmpty());
}

TEST_P(EitherSearch, RecommendsNothingWhereNothingHelps) {
  SteadyProgram program = program_of_workers();
  for (auto& [label, speed] : program.speeds) speed = 1.03;
  const SearchResult result = program.tune(rules());
  EXPECT_FALSE(result.winner.has_value());
  for (const Standing& standing : result.standings) EXPECT_NE(standing.verdict, Verdict::better);
}

TEST_P(EitherSearch, ARaceAloneWinsNothing) {
  SteadyProgram program = program_of_workers();
  for (const Standing& standing : program.tune(rules()).standings) {
    EXPECT_TRUE(standing.full || standing.verdict != Verdict::better) << program.labels[standing.configuration];
  }
}

TEST_P(EitherSearch, OfEquallyFastOnesTheSimplerWins) {
  SteadyProgram program;
  program.add("plain", {{"A", "1"}}, 1.3);
  program.add("more", {{"A", "1"}, {"B", "1"}}, 1.303);
  const SearchResult result = program.tune(rules());
  ASSERT_TRUE(result.winner.has_value());
  EXPECT_EQ(program.labels[*result.winner], "plain");
}

TEST_P(EitherSearch, AnEmptyPoolIsABaselineOnly) {
  SteadyProgram program;
  EXPECT_FALSE(program.tune(rules()).winner.has_value());
  EXPECT_THAT(program.asked, ElementsAre("base"));
}

TEST_P(EitherSearch, ContinuesWhereItWasInterrupted) {
  SteadyProgram program = program_of_workers();
  program.outcomes["nw8"] = {{}, false, true, 0.99};
  program.tune(rules());
  const std::vector<std::string> whole = program.asked;
  // A second search is told what the first one measured, and asks for the same.
  Search first(program.pool, program.labels, rules()), second(program.pool, program.labels, rules());
  std::size_t runs = 0;
  while (const std::optional<RunRequest> request = first.next()) {
    EXPECT_EQ(first.next(), request);  // until it is answered
    EXPECT_EQ(second.next(), request);
    first.record(*request, program.measured(*request, rules()));
    second.record(*request, program.measured(*request, rules()));
    ++runs;
  }
  EXPECT_EQ(second.next(), std::nullopt);
  EXPECT_EQ(first.result().winner, second.result().winner);
  EXPECT_EQ(runs, whole.size());
  EXPECT_EQ(first.expected_runs(Stage::baseline) + first.expected_runs(Stage::race) + first.expected_runs(Stage::full), runs);
}

// --- With a model ---

SteadyProgram program_of_families() {
  SteadyProgram program;
  const std::vector<std::pair<Settings::value_type, double>> members = {{{"FRX_BATCH_SIZE", "40"}, 1.1},
                                                                        {{"FRX_BATCH_SIZE", "48"}, 1.15},
                                                                        {{"FRX_BATCH_SIZE", "64"}, 1.2},
                                                                        {{"FRX_AMP_DTYPE", "bfloat16"}, 1.5},
                                                                        {{"FRX_AMP_DTYPE", "float16"}, 1.5}};
  for (const auto& [setting, speed] : members) program.add(setting.second, {setting}, speed);
  for (std::size_t batch = 0; batch < 3; ++batch) {
    for (std::size_t half = 3; half < 5; ++half) {
      program.add(members[batch].first.second + "+" + members[half].first.second, {members[half].first, members[batch].first},
                  members[batch].second * members[half].second, false);
    }
  }
  return program;
}

TEST(AdaptiveSearch, FindsACombinationOfWhatPaid) {
  SteadyProgram program = program_of_families();
  const SearchResult result = program.tune({});
  ASSERT_TRUE(result.winner.has_value());
  EXPECT_THAT(program.labels[*result.winner], ::testing::AnyOf("64+bfloat16", "64+float16"));
  EXPECT_LE(program.asked.size(), 1u + 5 + 3);  // as the documented flow
}

TEST(AdaptiveSearch, LooksAtTheBaselineAgain) {
  SteadyProgram program = program_of_workers();
  for (auto& [label, speed] : program.speeds) speed = label == "nw4" ? 1.12 : 1.0;
  const SearchResult result = program.tune({});
  EXPECT_GE(std::ranges::count(program.asked, "base"), 2);
  ASSERT_TRUE(result.winner.has_value());
  EXPECT_EQ(program.labels[*result.winner], "nw4");
}

TEST(AdaptiveSearch, ABatchThatDidNotFitBarsLargerOnes) {
  SteadyProgram program = program_of_families();
  program.outcomes["48"] = {{}, false, true, 1.0};
  const SearchResult result = program.tune({});
  EXPECT_EQ(std::ranges::count(program.asked, "race 64"), 0);
  EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("64 was not tried: a batch of 48 did not fit")));
}

TEST(AdaptiveSearch, MemoryIsExtrapolatedFromTheBaseline) {
  SteadyProgram program = program_of_families();
  SearchRules rules;
  rules.baseline = {{"FRX_BATCH_SIZE", "32"}};
  program.outcomes[""] = {std::vector<double>(20, 10.0), true, false, 0.60};
  program.outcomes["40"] = {std::vector<double>(5, 9.0), true, false, 0.69};  // 0.09 for 8 samples: 0.96 at 64
  const SearchResult result = program.tune(rules);
  EXPECT_EQ(std::ranges::count(program.asked, "race 64"), 0);
  EXPECT_THAT(result.notes, ::testing::Contains("64 was not tried: its memory is expected to be 96 % of that of the GPU"));
}

TEST(AdaptiveSearch, ASettingThatFailedIsNotCombined) {
  SteadyProgram program = program_of_families();
  for (const std::string& label : program.labels) {
    if (label.ends_with("float16") && !label.ends_with("bfloat16")) program.outcomes[label] = {{}, false};
  }
  program.tune({});
  const auto failed =
      std::ranges::count_if(program.asked, [&](const std::string& one) { return one.ends_with(" float16") || one.ends_with("+float16"); });
  EXPECT_LE(failed, 2);  // of four: after the first it may have been the batch
}

TEST(AdaptiveSearch, IsBoundedByTheDocumentedNumberOfRuns) {
  SteadyProgram program = program_of_workers();
  for (auto& [label, speed] : program.speeds) speed = 1.2;  // all alike
  program.tune({});
  EXPECT_LE(program.asked.size(), 1u + 5 + 3);
}

TEST(AdaptiveSearch, RepeatsWhatItRecommends) {
  SteadyProgram program = program_of_workers();
  SearchRules rules;
  rules.repeat_count = 3;
  const SearchResult result = program.tune(rules);
  ASSERT_TRUE(result.winner.has_value());
  EXPECT_GE(std::ranges::count(program.asked, "full " + program.labels[*result.winner]), 3);
}

// --- While a run goes on ---

TEST(Fate, OfARunFollowsFromItsFirstTimes) {
  const SteadyProgram program = program_of_workers();
  const SearchRules rules;
  Search search(program.pool, program.labels, rules);
  const RunRequest baseline = search.next().value();
  EXPECT_EQ(search.fate_of(baseline, std::vector<double>(20, 10.0)), Fate::open);
  search.record(baseline, {std::vector<double>(20, 10.0)});
  const RunRequest race = search.next().value();
  ASSERT_EQ(race.stage, Stage::race);
  EXPECT_EQ(search.fate_of(race, std::vector<double>{20, 20}), Fate::open);  // too few
  EXPECT_EQ(search.fate_of(race, std::vector<double>{20, 20, 20}), Fate::hopeless);
  EXPECT_EQ(search.fate_of(race, std::vector<double>{9, 9, 9}), Fate::open);
  const RunRequest full{race.configuration, Stage::full, 1};
  EXPECT_EQ(search.fate_of(full, std::vector<double>(5, 5.0)), Fate::open);  // the estimate is worth half of its run
  EXPECT_EQ(search.fate_of(full, std::vector<double>(10, 5.0)), Fate::settled);
  EXPECT_EQ(search.fate_of(full, std::vector<double>(10, 9.5)), Fate::open);
}

}  // namespace
}  // namespace frx::derive::tune
