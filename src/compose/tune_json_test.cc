#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/files.h"
#include "compose/fake_tune.h"
#include "compose/figures_tune.h"
#include "compose/testing.h"
#include "compose/tune.h"
#include "support/json_schema.h"

namespace frx::compose {
namespace {

using answer::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Json tune_json(const report::TuneReport& report) { return testing::tree_of(answer_of(testing::shared(report)).payload); }

std::vector<std::string> schema_problems(std::string_view name, const std::string& json) {
  const std::string schema = read_file(std::string(FRX_REPOSITORY) + "/data/schemas/" + std::string(name) + ".json").value();
  return frx::testing::violations(frx::testing::Json::parse(schema), frx::testing::Json::parse(json));
}

// All that a trial may have.
report::TuneReport full_report() {
  report::TuneReport report = testing::improved_report();
  report::TuneTrial& winner = report.trials[6];
  winner.quality.reported = {{"accuracy", 0.91}};
  winner.runs[0].gpus = report.baseline.runs[0].gpus;
  winner.runs[0].gpus[0].slowed_by.reset();
  winner.repeated = winner.runs;
  winner.throughput_stddev = 0.02;
  winner.noise_band = 0.01;
  winner.comparison_notes = {"memory was not measured"};
  report.notes = {"a note"};
  report.environment.supports_bf16 = false;
  return report;
}

TEST(TuneJson, FollowsItsSchema) {
  for (const report::TuneReport& report : {full_report(), testing::undecided_report(), report::TuneReport{}})
    EXPECT_THAT(schema_problems("autopilot_report.v1", answer::json_text_of(answer_of(testing::shared(report)).payload)), IsEmpty());
  for (const report::TuneTrial& trial : full_report().trials)
    EXPECT_THAT(schema_problems("tune_metrics.v1", metrics_json(trial)), IsEmpty()) << trial.candidate.id;
}

TEST(TuneJson, TheSchemaRefusesWhatIsNoReport) {
  Json json = tune_json(full_report());
  json["winner"]["verdict"] = "perhaps";
  json["surprise"] = 1;
  EXPECT_EQ(schema_problems("autopilot_report.v1", answer::json_text(json)).size(), 2u);
}

TEST(TuneJson, HasTheDocumentedMembers) {
  const Json json = tune_json(full_report());
  EXPECT_EQ(json["schema"], "autopilot_report.v1");
  EXPECT_EQ(json["job_name"], "frx-tune");
  EXPECT_EQ(json["total_trials"], 5) << "nw0, nw4, nw8, fp16, bs64; races and full trials of one are not counted twice";
  EXPECT_EQ(json["promoted_count"], 2) << "nw4 and nw8";
  EXPECT_EQ(json["improved"], true);
  EXPECT_EQ(json["thresholds"]["min_speedup"], 0.08);
  EXPECT_EQ(json["baseline"]["throughput_steps_per_sec"], 4.8);
  EXPECT_EQ(json["apply"], "FRX_NUM_WORKERS=4 FRX_PIN_MEMORY=true python train.py --data 'my data'");
  const Json& winner = json["winner"];
  EXPECT_EQ(winner["config_id"], "dl_nw4_pin1");
  EXPECT_EQ(winner["env_vars"], (Json{{"FRX_NUM_WORKERS", "4"}, {"FRX_PIN_MEMORY", "true"}}));
  EXPECT_EQ(winner["throughput_delta"], 0.193);
  EXPECT_EQ(winner["speedup"]["low"], 0.161);
  EXPECT_EQ(winner["speedup"]["high"], 0.226);
  EXPECT_EQ(winner["verdict"], "better");
  EXPECT_EQ(winner["artifacts_path"], "dl_nw4_pin1");
  EXPECT_EQ(winner["quality_metrics"]["accuracy"], 0.91);
  EXPECT_EQ(winner["benchmark_stage"], "full");
  EXPECT_EQ(winner["screening_decision"], nullptr);
  EXPECT_EQ(winner["throughput_values"], Json::array({5.73}));
  EXPECT_EQ(winner["runs"][0]["step_times_ms"].size(), 20u);
  EXPECT_EQ(winner["runs"][0]["gpus"][0]["slowed_by"], nullptr) << "the driver does not tell";
  EXPECT_EQ(json["baseline"]["runs"][0]["gpus"][0]["slowed_by"], Json::array()) << "it tells that nothing did";
}

TEST(TuneJson, RacesAndTrialsThatWereNotRunSaySo) {
  const Json trials = tune_json(testing::improved_report())["trials"];
  EXPECT_EQ(trials[0]["benchmark_stage"], "race");
  EXPECT_EQ(trials[0]["eligible_for_promotion"], false);
  EXPECT_EQ(trials[0]["screening_decision"], "screened out by quicker candidates");
  EXPECT_EQ(trials[0]["artifact_paths"]["metrics"], "race/dl_nw0_pin1/metrics.json");
  const Json& skipped = trials[7];
  EXPECT_EQ(skipped["exit_code"], -3);
  EXPECT_EQ(skipped["verdict"], nullptr);
  EXPECT_EQ(skipped["throughput_steps_per_sec"], nullptr);
  EXPECT_EQ(skipped["repeat_count"], 0);
  EXPECT_EQ(skipped["guard_failures"], Json::array({"memory headroom 0.15 is below 0.20"}));
}

TEST(TuneJson, BoundsThatAreNotKnownAreNull) {
  report::TuneReport report = testing::improved_report();
  report.trials[0].speedup->low = -1;
  report.trials[0].speedup->high = std::numeric_limits<double>::infinity();
  const Json speedup = tune_json(report)["trials"][0]["speedup"];
  EXPECT_EQ(speedup["low"], nullptr);
  EXPECT_EQ(speedup["high"], nullptr);
  EXPECT_EQ(speedup["value"], 0.012);
}

TEST(TuneJson, TheMetricsOfATrialAreThoseOfTheReport) {
  const report::TuneReport report = full_report();
  Json metrics = Json::parse(metrics_json(report.trials[6]));
  metrics.erase("schema");
  EXPECT_EQ(metrics, tune_json(report)["winner"]);
}

// The numbers of the figure, as a page has them.
Json tune_figure(const report::TuneReport& report) {
  answer::Document page;
  add_figures(page, report);
  for (const answer::Block& block : page.blocks()) {
    if (const auto* figure = std::get_if<answer::Figure>(&block)) return testing::tree_of(figure->numbers);
  }
  return {};
}

TEST(TuneFigure, HasARowForEachTrial) {
  const report::TuneReport report = testing::improved_report();
  const Json figure = tune_figure(report);
  EXPECT_EQ(figure["min_speedup"], 0.08);
  EXPECT_EQ(figure["confidence"], "95 %");
  std::vector<std::string> outcomes;
  for (const Json& row : figure["rows"]) outcomes.push_back(row["outcome"]);
  EXPECT_THAT(outcomes, ElementsAre("winner", "better", "screened", "screened", "screened", "screened", "rejected", "not_run"));
  EXPECT_EQ(figure["rows"][6]["reasons"], Json::array({"quality regression: final loss 1.2 exceeds baseline 1 by more than 5%"}));
  EXPECT_EQ(figure["rows"][7]["change"], nullptr);
  EXPECT_EQ(figure["rows"][0]["variables"][0], (Json{{"name", "FRX_NUM_WORKERS"}, {"value", "4"}}));
}

TEST(TuneFigure, IsLeftOutWithoutTrials) { EXPECT_TRUE(tune_figure(report::TuneReport{}).is_null()); }

}  // namespace
}  // namespace frx::compose
