// Everything in data/ that names something else in data/ names something that exists.
#include <gtest/gtest.h>

#include <set>

#include "knowledge/knowledge.h"
#include "knowledge/presets.h"

namespace frx::testing {
namespace {

const knowledge::Knowledge& known() {
  static const knowledge::Knowledge all = knowledge::Knowledge::load("").value();
  return all;
}

Value rules() { return known().library.file("data/recommendations/rules.yaml")["rules"]; }

// Cards are the files rec_*.yaml; rules.yaml and engine.yaml stand beside them.
std::vector<Value> cards() {
  std::vector<Value> all;
  for (const Value& root : known().library.folder("recommendations")) {
    if (root["id"].text().starts_with("rec_")) all.push_back(root);
  }
  return all;
}

bool is_card(std::string_view id) {
  const std::vector<Value> all = cards();
  return std::any_of(all.begin(), all.end(), [&](const Value& card) { return card["id"].text() == id; });
}

// Labels that a person can do nothing about, so that no rule answers them.
const std::set<std::string_view> labels_without_advice = {};

TEST(Labels, HaveAllTheirWords) {
  for (const knowledge::Label& label : known().labels.all()) {
    EXPECT_FALSE(label.display.empty()) << label.where << ": no display";
    EXPECT_FALSE(label.why.empty()) << label.where << ": no why";
    EXPECT_FALSE(label.question.empty()) << label.where << ": no question";
    EXPECT_EQ(label.when.empty(), label.score.empty()) << label.where << ": a condition and a score go together";
  }
}

TEST(Labels, StandInTheFileOfTheirName) {
  for (const knowledge::Label& label : known().labels.all()) {
    EXPECT_TRUE(label.where.starts_with("data/bottlenecks/" + std::string(label.id) + ".yaml:")) << label.where;
  }
}

TEST(Labels, HaveAPlaceOfTheirOwnInTheOrder) {
  std::set<int> places;
  for (const knowledge::Label& label : known().labels.all()) EXPECT_TRUE(places.insert(label.order).second) << label.where;
}

TEST(Labels, AreExplainedByLabelsThatExist) {
  for (const knowledge::Label& label : known().labels.all()) {
    for (const std::string_view other : label.explained_by) {
      EXPECT_NE(known().labels.with_id(other), nullptr) << label.where << ": explained by '" << other << "'";
      EXPECT_NE(other, label.id) << label.where;
    }
  }
}

TEST(Labels, AskForPresetsThatExist) {
  const auto presets = knowledge::load_presets(known().library, known().metrics);
  ASSERT_TRUE(presets) << to_string(presets.error());
  std::set<std::string_view> names;
  for (const knowledge::Preset& preset : *presets) names.insert(preset.name);
  for (const knowledge::Label& label : known().labels.all()) {
    if (!label.preset.empty()) {
      EXPECT_TRUE(names.contains(label.preset)) << label.where << ": collect '" << label.preset << "'";
    }
  }
}

TEST(Labels, AreAnsweredByARule) {
  std::set<std::string_view> answered = labels_without_advice;
  for (std::size_t i = 0; i < rules().size(); ++i) answered.insert(rules().item(i)["bottleneck"].text());
  for (const knowledge::Label& label : known().labels.all()) {
    EXPECT_TRUE(answered.contains(label.id)) << label.where << ": no rule in data/recommendations/rules.yaml answers " << label.id;
  }
}

TEST(Rules, ProposeCardsThatExist) {
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < rules().size(); ++i) {
    const Value rule = rules().item(i);
    EXPECT_TRUE(ids.insert(rule["id"].text()).second) << rule.where() << ": a second " << rule["id"].text();
    EXPECT_GT(rule["recommendations"].size(), 0u) << rule.where();
    for (const std::string_view card : rule["recommendations"].texts()) {
      EXPECT_TRUE(is_card(card)) << rule.where() << ": no card '" << card << "'";
    }
  }
}

TEST(Rules, RelateCardsThatExist) {
  const Value engine = known().library.file("data/recommendations/engine.yaml");
  for (const std::string_view list : {"equivalents", "dependencies"}) {
    for (std::size_t i = 0; i < engine[list].size(); ++i) {
      const Value relation = engine[list].item(i);
      for (std::size_t k = 0; k < relation.size(); ++k) {
        if (relation.value(k).text().starts_with("rec_")) {
          EXPECT_TRUE(is_card(relation.value(k).text())) << relation.value(k).where();
        }
      }
    }
  }
}

TEST(Cards, StandInTheFileOfTheirName) {
  for (const Value& card : cards()) {
    EXPECT_TRUE(card.where().starts_with("data/recommendations/" + std::string(card["id"].text()) + ".yaml:")) << card.where();
  }
}

TEST(Cards, AreProposedBySomeRule) {
  std::set<std::string_view> proposed;
  for (std::size_t i = 0; i < rules().size(); ++i) {
    for (const std::string_view card : rules().item(i)["recommendations"].texts()) proposed.insert(card);
  }
  for (const Value& card : cards()) EXPECT_TRUE(proposed.contains(card["id"].text())) << card.where() << ": no rule proposes it";
}

TEST(Cards, ValidateWithMetricsThatExist) {
  for (const Value& card : cards()) {
    const Value steps = card["validation_steps"];
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string_view id = steps.item(i)["reading"].text();
      if (!id.empty()) {
        EXPECT_TRUE(known().metrics.with_id(id)) << steps.item(i).where() << ": no metric '" << id << "'";
      }
    }
  }
}

TEST(Gpus, AgreeWithThemselves) {
  const Result<> checked = known().gpus.check();
  EXPECT_TRUE(checked) << to_string(checked.error());
}

TEST(Metrics, HaveTheirWords) {
  for (const knowledge::MetricDefinition& metric : known().metrics.all()) {
    EXPECT_FALSE(metric.label.empty()) << metric.source.where() << ": no label";
    EXPECT_FALSE(metric.meaning.empty()) << metric.source.where() << ": no meaning";
  }
}

}  // namespace
}  // namespace frx::testing
