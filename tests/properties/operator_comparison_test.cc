// Of every golden case of `frx operators compare`: the rows of each side, kernels in no operator among them, add up to all of its kernel
// time.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "meta/repository.h"
#include "support/case_run.h"

namespace frx::testing {
namespace {

using nlohmann::json;

double number_of(const json& value) { return value.is_null() ? 0 : value.get<double>(); }

void expect_rows_add_up(const json& comparison, const std::string& side) {
  double rows = 0, kernels = 0;
  for (const json& row : comparison["rows"]) {
    rows += number_of(row[side + "_ns"]);
    kernels += number_of(row[side + "_kernels"]);
    double parts = 0;
    for (const json& part : row["parts_" + side]) parts += part["gpu_ns"].get<double>();
    if (!row["parts_" + side].empty()) EXPECT_NEAR(parts, number_of(row[side + "_ns"]), 1) << row["name"];
  }
  // Times are rounded to a tenth of a nanosecond.
  EXPECT_NEAR(rows, comparison["verdict"][side + "_ns"].get<double>(), 0.1 * static_cast<double>(comparison["rows"].size() + 1));
  EXPECT_NEAR(kernels, comparison[side]["kernels"].get<double>(), 1e-6);
}

TEST(OperatorComparisonRows, AddUpToAllKernelsInEveryGoldenCase) {
  std::size_t compared = 0;
  for (Case one : golden_cases()) {
    if (one.runs.empty() || one.runs[0].words.size() < 4 || one.runs[0].words[1] != "compare" || one.runs[0].words[0] != "operators")
      continue;
    const std::vector<std::string>& words = one.runs[0].words;
    one.runs = {{{words[0], words[1], words[2], words[3], "--json", "--allow-different-batch"}, 0}};
    const Result<Outcome> outcome = run_case(one);
    ASSERT_TRUE(outcome) << one.path << ": " << to_string(outcome.error());
    if (outcome->exits.at(0) != 0) continue;  // one side alone marks iterations
    SCOPED_TRACE(one.path);
    const json comparison = json::parse(outcome->out)["result"];
    expect_rows_add_up(comparison, "before");
    expect_rows_add_up(comparison, "after");
    double remaining = 0;
    for (const json& part : comparison["remaining"]) remaining += part["gpu_ns"].get<double>();
    EXPECT_NEAR(remaining, comparison["verdict"]["after_ns"].get<double>(), 0.1 * static_cast<double>(comparison["remaining"].size() + 1));
    ++compared;
  }
  EXPECT_GE(compared, 6u);
}

}  // namespace
}  // namespace frx::testing
