#include "advise/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "advise/testing.h"
#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::advise {
namespace {

using testing::catalogue;
using testing::known;

// The error of the catalogue when `name` of data/recommendations has this text instead, "" when it loads.
std::string refusal(const std::string& name, const std::string& text) {
  const TemporaryDirectory directory = TemporaryDirectory::make(::testing::TempDir()).value();
  EXPECT_TRUE(write_file(directory.file("recommendations/" + name), text));
  const Result<knowledge::Knowledge> knowledge = knowledge::Knowledge::load(directory.path());
  if (!knowledge) return to_string(knowledge.error());
  const Result<Catalogue> result = Catalogue::load(*knowledge);
  return result ? std::string() : to_string(result.error());
}

std::string rule(const std::string& label, const std::string& card) {
  return "rules:\n  - id: r\n    bottleneck: " + label + "\n    min_score: 0.5\n    priority_boost: 0.1\n    recommendations: [" + card +
         "]\n    explanation: because\n";
}

std::string card(const std::string& more, const std::string& id = "rec_x") {
  return "id: " + id + "\ntitle: X\ncategory: memory\nimpact: high\neffort: low\nsafety: high\nwhy: because\n" + more;
}

TEST(Catalogue, HoldsTheDocumentedCardsAndRules) {
  EXPECT_GE(catalogue().cards().size(), 44u);
  ASSERT_GE(catalogue().rules().size(), 40u);
  EXPECT_EQ(catalogue().rules()[0].id, "rule_input_starvation_high");
  EXPECT_EQ(catalogue().rules()[39].id, "rule_ncu_occupancy_limited");
  ASSERT_TRUE(catalogue().card("rec_ncu_improve_coalescing"));
  EXPECT_EQ(catalogue().card("rec_nothing"), nullptr);
}

// A count of 1e33 is as invalid as one of 0.5.
TEST(Catalogue, RefusesConstantsThatAreNoCounts) {
  const std::string engine = *read_file(FRX_REPOSITORY "/data/recommendations/engine.yaml");
  const auto with = [&](const std::string& key, const std::string& value) {
    const std::size_t begin = engine.find("\n" + key + ":") + key.size() + 2;
    return engine.substr(0, begin) + " " + value + engine.substr(engine.find('\n', begin));
  };
  EXPECT_EQ(refusal("engine.yaml", with("score_digits", "3")), "");
  for (const char* wrong : {"1e33", "-1", "2.5", "many"}) {
    EXPECT_NE(refusal("engine.yaml", with("score_digits", wrong)).find("'score_digits'"), std::string::npos) << wrong;
    EXPECT_NE(refusal("engine.yaml", with("bundle_min", wrong)).find("'bundle_min'"), std::string::npos) << wrong;
  }
}

TEST(Catalogue, EveryCardIsProposedOrWithheldBySomeRule) {
  std::set<const Card*> used;
  for (const Rule& rule : catalogue().rules()) used.insert(rule.cards.begin(), rule.cards.end());
  for (const Card& card : catalogue().cards()) EXPECT_TRUE(used.contains(&card)) << card.id;
}

// A counter of a validation step must be one that fills the reading it is compared with, or a counter
// that a reading without one of its own is derived from.
TEST(Catalogue, StepsNameACounterOfTheirReading) {
  for (const Card& card : catalogue().cards()) {
    for (const Step& step : card.steps) {
      const auto metric = known().metrics.called("", step.metric, std::nullopt);
      ASSERT_TRUE(metric) << card.id << " " << step.metric;
      if (known().metrics[step.reading].ncu.empty()) continue;
      EXPECT_EQ(*metric, step.reading) << card.id << " " << step.metric;
    }
  }
}

// Cards that remove the kernel, or that need more measurements.
constexpr std::string_view without_predictions[] = {"rec_ncu_collect_metrics", "rec_ncu_collect_roofline", "rec_ncu_find_the_wait",
                                                    "rec_roofline_kernel_fusion"};

TEST(Catalogue, EveryCardAboutKernelsPredictsWhatMoves) {
  for (const Card& card : catalogue().cards()) {
    if (!card.id.starts_with("rec_ncu_") && !card.id.starts_with("rec_roofline_")) continue;
    const bool has_none = std::ranges::find(without_predictions, card.id) != std::end(without_predictions);
    EXPECT_EQ(card.predictions.empty(), has_none) << card.id;
  }
}

TEST(Catalogue, EveryPredictionNamesACounterThatCanBeCollected) {
  for (const Card& card : catalogue().cards()) {
    std::set<std::string_view> readings;
    for (const Prediction& prediction : card.predictions) {
      EXPECT_FALSE(prediction.counter.empty()) << card.id << " " << prediction.id;
      EXPECT_TRUE(readings.insert(prediction.id).second) << card.id << " predicts " << prediction.id << " twice";
    }
  }
}

// "20 to 60 % faster" and "the kernel takes 17 % less time" are one statement.
TEST(Catalogue, PredictedTimesAreTheLowerEndOfTheSpeedup) {
  for (const Card& card : catalogue().cards()) {
    for (const Prediction& prediction : card.predictions) {
      if (prediction.id != "kernel_duration") continue;
      ASSERT_TRUE(card.speedup_pct) << card.id;
      const double least = card.speedup_pct->first;
      EXPECT_NEAR(prediction.by, 100 * least / (100 + least), 0.5) << card.id;
      EXPECT_FALSE(prediction.is_points);
    }
  }
}

TEST(Catalogue, RefusesWhatItDoesNotKnowWithFileAndLine) {
  EXPECT_EQ(refusal("rules.yaml", rule("sync_bound", "rec_sync_remove_item")), "");
  const std::string unknown_card = refusal("rules.yaml", rule("sync_bound", "rec_nothing"));
  EXPECT_NE(unknown_card.find("data/recommendations/rules.yaml:6"), std::string::npos) << unknown_card;
  EXPECT_NE(unknown_card.find("no card is called 'rec_nothing'"), std::string::npos) << unknown_card;
  const std::string unknown_label = refusal("rules.yaml", rule("slow", "rec_sync_remove_item"));
  EXPECT_NE(unknown_label.find("rules.yaml:3"), std::string::npos) << unknown_label;
  EXPECT_NE(unknown_label.find("no bottleneck is called 'slow'"), std::string::npos) << unknown_label;
}

// An unknown name would silence its rule.
TEST(Catalogue, RefusesConditionsOfUnknownNamesWithFileAndLine) {
  const auto with = [](const std::string& condition) { return rule("sync_bound", "rec_sync_remove_item") + "    " + condition + "\n"; };
  EXPECT_EQ(refusal("rules.yaml", with("when: sync_heavy and sync_fraction > 0.2 and not label.input_bound")), "");
  const std::string unknown = refusal("rules.yaml", with("when: sync_hevy"));
  EXPECT_NE(unknown.find("data/recommendations/rules.yaml:8"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("sync_hevy"), std::string::npos) << unknown;
  EXPECT_NE(refusal("rules.yaml", with("suppressed_if: label.slow")).find("rules.yaml:8"), std::string::npos);
  EXPECT_NE(refusal("rules.yaml", with("when: sync_fraction")).find("'sync_fraction' is not a condition"), std::string::npos);
  EXPECT_NE(refusal("rules.yaml", with("when: sync_fraction > 20%")).find("cannot compare"), std::string::npos);
  EXPECT_NE(refusal("rules.yaml", with("signals: {sync_heavy: true}")).find("written as an expression now"), std::string::npos);
  EXPECT_NE(refusal("rec_sync_remove_item.yaml", card("never_when: no_such\n", "rec_sync_remove_item")).find("no_such"), std::string::npos);
}

TEST(Catalogue, RefusesSignalsThatAreWrongWhereTheyStand) {
  const auto signals = [](const std::string& entries) {
    return "signals:\n  kernel: []\n  ptx: []\n  run:\n" + entries + "    - {id: a_used_one, is: sync_fraction > 0.1, words: w}\n";
  };
  const auto refused = [&](const std::string& entries, const std::string& condition) {
    const TemporaryDirectory directory = TemporaryDirectory::make(::testing::TempDir()).value();
    EXPECT_TRUE(write_file(directory.file("recommendations/signals.yaml"), signals(entries)));
    EXPECT_TRUE(write_file(directory.file("recommendations/rules.yaml"),
                           rule("sync_bound", "rec_sync_remove_item") + "    when: " + condition + "\n"));
    const knowledge::Knowledge knowledge = knowledge::Knowledge::load(directory.path()).value();
    const Result<Catalogue> loaded = Catalogue::load(knowledge);
    return loaded ? std::string() : to_string(loaded.error());
  };
  EXPECT_NE(refused("    - {id: odd, is: sync_frction > 0.1, words: w}\n", "odd").find("data/recommendations/signals.yaml:5"),
            std::string::npos);
  EXPECT_NE(refused("    - {id: odd, is: odd or a_used_one, words: w}\n", "odd").find("'odd' is made of itself"), std::string::npos);
  EXPECT_NE(refused("    - {id: odd, words: w}\n", "a_used_one").find("signals.yaml:5"), std::string::npos);
}

TEST(Catalogue, RefusesBrokenCards) {
  const std::string step = "validation_steps:\n  - {metric: a.sum, reading: dram_pcz, label: L, direction: decrease, expected: less}\n";
  EXPECT_NE(refusal("rec_x.yaml", card(step)).find("no metric is called 'dram_pcz'"), std::string::npos);
  EXPECT_NE(refusal("rec_y.yaml", card("")).find("does not stand in a file of its name"), std::string::npos);
  EXPECT_NE(refusal("rec_x.yaml", card("risk: none\n")).find("for 'risk', found 'none'"), std::string::npos);
  EXPECT_NE(refusal("rec_x.yaml", card("speedup_pct: [9, 3]\n")).find("speedup_pct"), std::string::npos);
  EXPECT_EQ(refusal("rec_x.yaml", card("")), "");
}

TEST(Catalogue, RefusesPredictionsThatNoValueCanMeet) {
  const auto refused = [](const std::string& entry) { return refusal("rec_x.yaml", card("predictions:\n  - {" + entry + "}\n")); };
  EXPECT_EQ(refused("reading: dram_bytes, direction: decrease, by_pct: 10"), "");
  EXPECT_NE(refused("reading: dram_bytez, direction: decrease, by_pct: 10").find("no metric is called 'dram_bytez'"), std::string::npos);
  EXPECT_NE(refused("reading: dram_bytes, direction: down, by_pct: 10").find("found 'down'"), std::string::npos);
  EXPECT_NE(refused("reading: dram_bytes, direction: decrease").find("expected one of by_pct and by_points"), std::string::npos);
  EXPECT_NE(refused("reading: dram_bytes, direction: decrease, by_pct: 10, by_points: 1").find("expected one of"), std::string::npos);
  EXPECT_NE(refused("reading: dram_bytes, direction: decrease, by_points: 10").find("is in byte, not in %"), std::string::npos);
  EXPECT_NE(refused("reading: dram_bytes, direction: decrease, by_pct: 110").find("up to 100, found 110"), std::string::npos);
  EXPECT_NE(refused("reading: achieved_occupancy_pct, direction: increase, by_points: 5, to: 140").find("cannot move to 140"),
            std::string::npos);
  EXPECT_NE(refused("reading: achieved_occupancy_pct, direction: stable, by_points: 5, to: 50").find("cannot be stable"),
            std::string::npos);
}

}  // namespace
}  // namespace frx::advise
