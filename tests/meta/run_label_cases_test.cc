// Every label of data/run_labels brings its own cases; here they are run.
//
//   cases:
//     - name: a third of the step
//       given: {input_fraction: 0.325}
//       expect: fires                   # or: clear, cannot tell
#include <gtest/gtest.h>

#include <set>

#include "diagnose/training.h"
#include "knowledge/knowledge.h"
#include "knowledge/run_labels.h"

namespace frx::testing {
namespace {

const knowledge::RunLabels& run_labels() {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  static const knowledge::RunLabels all = knowledge::RunLabels::load(known.library).value();
  return all;
}

struct RunCase {
  const knowledge::RunLabel* label;
  Value entry;
  friend void PrintTo(const RunCase& one, std::ostream* out) { *out << one.entry.where(); }
};

std::vector<RunCase> run_cases() {
  std::vector<RunCase> cases;
  for (const knowledge::RunLabel& label : run_labels().all()) {
    for (std::size_t i = 0; i < label.cases.size(); ++i) cases.push_back({&label, label.cases.item(i)});
  }
  return cases;
}

model::RunFacts facts_given(const Value& given) {
  model::RunFacts facts;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto* const known = std::ranges::find(model::run_fact_names, given.key(i), &model::RunFactName::name);
    EXPECT_NE(known, std::end(model::run_fact_names)) << given.where() << ": no fact " << given.key(i);
    facts.set(static_cast<model::RunFact>(known - model::run_fact_names), given.value(i).number());
  }
  return facts;
}

class RunLabelCase : public ::testing::TestWithParam<RunCase> {};

TEST_P(RunLabelCase, HoldsAsItSays) {
  const auto& [label, entry] = GetParam();
  const diagnose::TrainingDiagnosis diagnosis =
      diagnose::diagnose_run(run_labels(), facts_given(entry["given"]), "unknown", {5, true, false});
  const bool fires = diagnosis.with_id(label->id) != nullptr;
  const model::Finding* const other = find_finding(diagnosis.others, label->id);
  const bool unknown = other && other->verdict == model::Verdict::cannot_tell;
  EXPECT_EQ(fires ? "fires" : unknown ? "cannot tell" : "clear", entry["expect"].text()) << label->id << ": " << entry["name"].text();
}

INSTANTIATE_TEST_SUITE_P(Data, RunLabelCase, ::testing::ValuesIn(run_cases()),
                         [](const auto& info) { return std::string(info.param.label->id) + "_" + std::to_string(info.index); });

TEST(RunLabels, EachIsTriedInEveryWay) {
  for (const knowledge::RunLabel& label : run_labels().all()) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < label.cases.size(); ++i) seen.insert(label.cases.item(i)["expect"].text());
    EXPECT_TRUE(seen.contains("fires") && seen.contains("clear")) << label.where;
  }
}

TEST(RunLabels, FillInNothingButFacts) {
  model::RunFacts facts;
  for (std::size_t i = 0; i < model::run_fact_count; ++i) facts.set(static_cast<model::RunFact>(i), 0.5);
  for (const knowledge::RunLabel& label : run_labels().all()) {
    for (const std::string_view why : {label.why, label.why_timed}) {
      const std::string words = knowledge::filled(why, facts);
      EXPECT_EQ(words.find_first_of("{}?"), std::string::npos) << label.where << ": " << words;
    }
  }
}

}  // namespace
}  // namespace frx::testing
