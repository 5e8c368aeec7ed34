#include "compose/prediction_scores.h"

#include <gtest/gtest.h>

#include "compose/testing.h"
#include "render/style.h"

namespace frx::compose {
namespace {

report::PredictionScores scores(std::optional<double> after) {
  report::ScoredPrediction one;
  one.card = "rec_x";
  one.title = "Read neighbours";
  one.label = "uncoalesced_access";
  one.kernel = "a|b(int)";
  one.kernel_after = "c(int)";
  one.prediction.id = "kernel_duration";
  one.prediction.label = "Kernel duration";
  one.prediction.unit = "ns";
  one.prediction.is_sum = true;
  one.prediction.by = 20;
  one.before = 100e3;
  one.after = after;
  one.score = advise::score(one.prediction, one.before, one.after, 0.03);
  report::PredictionScores all;
  all.scored = {one};
  return all;
}

answer::Json tree(const report::PredictionScores& all) {
  return testing::tree_of([&](answer::JsonObject& out) { put_prediction_scores(out, all); });
}

std::string prediction_scores_text(const report::PredictionScores& all) {
  Document page;
  add_prediction_scores(page, all);
  return render::text_of(page, {});
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(PredictionScoresText, HasTheNumbersBeforeAfterAndPredicted) {
  const std::string text = prediction_scores_text(scores(50e3));
  EXPECT_TRUE(has(text, "PREDICTIONS OF THE ADVICE: 1 held")) << text;
  EXPECT_TRUE(has(text, "[held] Kernel duration of a launch: 100 us -> 50 us (predicted: 80 us")) << text;
  EXPECT_TRUE(has(text, "proof that it was")) << text;
}

TEST(PredictionScoresText, SaysWhyOneCannotTell) {
  const std::string text = prediction_scores_text(scores({}));
  EXPECT_TRUE(has(text, "1 inconclusive")) << text;
  EXPECT_TRUE(has(text, "[inconclusive] Kernel duration of a launch: 100 us -> not measured")) << text;
}

TEST(PredictionScoresText, IsNothingWithoutPredictions) { EXPECT_EQ(prediction_scores_text({}), ""); }

TEST(PredictionScoresJson, TheIdIsOfTheContent) {
  const answer::Json one = tree(scores(50e3))["scored"][0];
  EXPECT_EQ(one["id"], tree(scores(50e3))["scored"][0]["id"]);
  EXPECT_NE(one["id"], tree(scores(51e3))["scored"][0]["id"]);
  EXPECT_EQ(one["id"].get<std::string>().size(), 16u);
  EXPECT_TRUE(tree(scores({}))["scored"][0]["after"].is_null());
}

}  // namespace
}  // namespace frx::compose
