#include <algorithm>

#include "compose/figures.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using derive::compare::Judgement;

constexpr std::size_t values_drawn = 2000;

struct Row {
  std::string name;
  std::optional<double> first, second;  // ns
  Judgement judgement;
};

struct Values {
  std::string name;
  std::vector<double> first, second;  // ns
};

// Enough of them to show how they scatter, evenly taken.
std::vector<double> some_of(const std::vector<double>& values) {
  const std::size_t each = (values.size() + values_drawn - 1) / values_drawn;
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); i += std::max<std::size_t>(each, 1)) some.push_back(values[i]);
  return some;
}

std::optional<double> median_of(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(derive::compare::median_of(std::move(values)));
}

void add_intervals(Document& page, std::string first, std::string second, double noise_floor, std::vector<Row> rows,
                   std::vector<Values> values) {
  if (rows.empty()) return;
  page.add(answer::Figure{"intervals", "Before and after",
                          "How many times as long the second side takes, and the interval that the measurements leave possible at 99 % "
                          "confidence. An interval that touches the band of noise is no answer. A part alone: how long the whole takes as "
                          "if nothing else had changed.",
                          [=](JsonObject& out) {
                            out.add("first", first, "second", second, "noise_floor", noise_floor);
                            out.list("rows", rows, [](JsonObject& one, const Row& row) {
                              one.add("name", row.name, "first", row.first, "second", row.second, "unit", "ns", "ratio",
                                      answer::rounded(row.judgement.ratio, 6), "low", answer::rounded(row.judgement.low, 6), "high",
                                      answer::rounded(row.judgement.high, 6), "answer", derive::compare::name_of(row.judgement.answer));
                            });
                            out.list("values", values, [](JsonObject& one, const Values& two) {
                              one.add("name", two.name, "unit", "ns", "first", some_of(two.first), "second", some_of(two.second));
                            });
                          }});
}

}  // namespace

void add_figures(Document& page, const report::RunComparison& comparison) {
  const std::string what = comparison.per_sample ? "time of a sample" : "time of a step";
  std::vector<Row> rows = {{what, median_of(comparison.first.step_ns), median_of(comparison.second.step_ns), comparison.judgement}};
  for (const report::ComparedPart& part : comparison.parts)
    rows.push_back({part.name + " alone", part.first_ns, part.second_ns, part.effect});
  std::erase_if(rows, [](const Row& row) { return !row.judgement.ratio; });
  add_intervals(page, comparison.first.label, comparison.second.label, comparison.noise_floor, std::move(rows),
                {{"steps", comparison.first.step_ns, comparison.second.step_ns}});
}

void add_figures(Document& page, const report::BenchReport& report) {
  std::vector<Row> rows;
  std::vector<Values> values;
  for (const report::BenchClock& clock : report.clocks) {
    if (!clock.is_of_both()) continue;
    rows.push_back(
        {std::string(clock.name), clock.timing[0]->median * clock.to_ns, clock.timing[1]->median * clock.to_ns, clock.judgement});
    Values both{std::string(clock.name), clock.values[0], clock.values[1]};
    for (std::vector<double>* side : {&both.first, &both.second}) {
      for (double& value : *side) value *= clock.to_ns;
    }
    values.push_back(std::move(both));
  }
  add_intervals(page, "before", "after", derive::compare::default_noise_floor, std::move(rows), std::move(values));
}

void add_figures(Document& page, const report::NcuComparison& comparison) {
  const report::ProfileJudgement& judged = comparison.judgement;
  if (!judged.ratio()) return;
  Judgement judgement;
  judgement.answer = judged.answer;
  judgement.ratio = judged.ratio();
  add_intervals(page, comparison.label_baseline, comparison.label_optimized, judged.noise_floor,
                {{judged.first->is_per_launch ? "time of a launch" : "time of all launches", judged.first->us * 1e3,
                  judged.second->us * 1e3, judgement}},
                {});
}

}  // namespace frx::compose
