// Every label of data/bottlenecks brings its own test cases; here they are run.
//
//   cases:
//     - name: a coalesced stream at 92 %
//       given: {dram_throughput_pct: 92, kernel: "copy"}
//       expect: fires          # or: clear, cannot tell
//       score: 0.92            # optional, to 0.005
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "derive/derive.h"
#include "detect/detect.h"
#include "knowledge/knowledge.h"

namespace frx::testing {
namespace {

const knowledge::Knowledge& loaded() {
  static const knowledge::Knowledge all = knowledge::Knowledge::load("").value();
  return all;
}

std::string word(const model::Finding& finding) {
  if (finding.fires()) return "fires";
  return finding.is_clear() ? "clear" : "cannot tell";
}

// What one label says about what `given` says was measured.
model::Finding finding_of(const knowledge::Label& label, const Value& given) {
  model::Readings readings(loaded().metrics.size());
  knowledge::Thresholds thresholds = loaded().labels.thresholds();
  std::uint64_t kernel_class = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given.key(i) == "kernel") {
      kernel_class = loaded().classes.of(given.value(i).text());
      continue;
    }
    if (thresholds.find(given.key(i))) {
      EXPECT_TRUE(thresholds.lay({{std::string(given.key(i)), given.value(i).number().value_or(0)}}));
      continue;
    }
    const std::optional<model::Metric> metric = loaded().metrics.with_id(given.key(i));
    const std::optional<double> value = given.value(i).number();
    if (!metric || !value) {
      ADD_FAILURE() << given.value(i).where() << ": '" << given.key(i) << "' is not a metric with a number";
      continue;
    }
    readings.set(*metric, {*value, model::Origin::measured, 0, 1, {}});
  }
  derive::add_derived(loaded().metrics, readings);
  for (model::Finding& finding : detect::examine(loaded().labels, loaded().metrics, {readings, kernel_class, thresholds})) {
    if (finding.type == &label) return std::move(finding);
  }
  ADD_FAILURE() << label.where << ": the label has no condition";
  return {};
}

struct LabelCase {
  const knowledge::Label* label;
  Value entry;

  friend void PrintTo(const LabelCase& one, std::ostream* out) { *out << one.entry.where(); }
};

std::vector<LabelCase> all_cases() {
  std::vector<LabelCase> all;
  for (const knowledge::Label& label : loaded().labels.all()) {
    for (std::size_t i = 0; i < label.cases.size(); ++i) all.push_back({&label, label.cases.item(i)});
  }
  return all;
}

// "grid_too_small" and "36 blocks on 80 SMs" -> "grid_too_small__36_blocks_on_80_SMs"
std::string name_of(const ::testing::TestParamInfo<LabelCase>& info) {
  std::string name(info.param.label->id);
  name += "__";
  for (const char c : info.param.entry["name"].text()) {
    const bool keep = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (keep || name.back() != '_') name += keep ? c : '_';
  }
  return name;
}

class LabelCases : public ::testing::TestWithParam<LabelCase> {};

TEST_P(LabelCases, AnswersAsItsYamlSays) {
  const auto& [label, entry] = GetParam();
  const model::Finding finding = finding_of(*label, entry["given"]);
  ASSERT_NE(finding.type, nullptr);
  EXPECT_EQ(word(finding), entry["expect"].text()) << entry.where();
  if (const std::optional<double> score = entry["score"].number()) {
    ASSERT_TRUE(finding.fires()) << entry.where();
    EXPECT_NEAR(finding.score, *score, 0.005) << entry.where();
  }
}

INSTANTIATE_TEST_SUITE_P(Data, LabelCases, ::testing::ValuesIn(all_cases()), name_of);

TEST(LabelCases, EveryConditionIsShownToFireToBeClearAndToAbstain) {
  for (const knowledge::Label& label : loaded().labels.all()) {
    if (label.when.empty()) continue;
    std::set<std::string_view> shown;
    for (std::size_t i = 0; i < label.cases.size(); ++i) shown.insert(label.cases.item(i)["expect"].text());
    EXPECT_TRUE(shown.contains("fires")) << label.where << ": no case in which " << label.id << " fires";
    EXPECT_TRUE(shown.contains("clear")) << label.where << ": no case in which " << label.id << " is clear";
    // A condition about what is missing can always be told.
    const bool always_known = label.when.truth([](std::uint32_t) { return std::nullopt; }).has_value();
    EXPECT_TRUE(always_known || shown.contains("cannot tell")) << label.where << ": no case in which " << label.id << " cannot be told";
  }
}

TEST(LabelCases, ShowEveryThresholdToTakeEffect) {
  std::set<std::string_view> laid;
  for (const auto& [label, entry] : all_cases()) {
    for (std::size_t i = 0; i < entry["given"].size(); ++i) laid.insert(entry["given"].key(i));
  }
  for (const knowledge::Threshold& threshold : known().labels.thresholds().all()) {
    if (threshold.name.starts_with("ncu_")) EXPECT_TRUE(laid.contains(threshold.name)) << "no case gives " << threshold.name;
  }
}

TEST(LabelCases, SayOneOfTheThreeAnswers) {
  for (const auto& [label, entry] : all_cases()) {
    const std::string_view expect = entry["expect"].text();
    EXPECT_TRUE(expect == "fires" || expect == "clear" || expect == "cannot tell") << entry.where() << ": '" << expect << "'";
    EXPECT_FALSE(entry["name"].text().empty()) << entry.where();
    EXPECT_TRUE(entry["given"].is_map()) << entry.where();
  }
}

}  // namespace
}  // namespace frx::testing
