#include <gtest/gtest.h>

#include "compose/payloads.h"
#include "compose/recommendation_text.h"
#include "compose/testing.h"

namespace frx::compose {
namespace {

using testing::recommendation;

TEST(RecommendationText, Speedups) {
  advise::Recommendation r = recommendation();
  EXPECT_EQ(speedup_text(r), "20 to 60 %");
  r.estimated_speedup_pct_min = 0;
  r.estimated_speedup_pct_max = 7.25;
  EXPECT_EQ(speedup_text(r), "up to 7.2 %");
  r.estimated_speedup_pct_max.reset();
  EXPECT_EQ(speedup_text(r), "");
}

TEST(RecommendationText, CommandAsksForTheKernelAndEachCounterOnce) {
  advise::Recommendation r = recommendation();
  r.kernel = "void ns::stream<float>(float*)";
  r.validation_steps.push_back(r.validation_steps[0]);
  EXPECT_EQ(validation_command(r),
            "ncu --csv --log-file report.csv --metrics dram__bytes.sum,lts__t_sector_hit_rate.pct --kernel-name "
            "'regex:^stream$' ./your_app");
  r.validation_steps.clear();
  EXPECT_EQ(validation_command(r), "");
}

TEST(RecommendationText, ATargetAlreadyMetIsSaid) {
  advise::ValidationStep step = recommendation().validation_steps[0];
  step.current_value = 3;
  EXPECT_EQ(step_text(step), "DRAM bytes: was 3; falls (target: 4, already met)");
}

TEST(RecommendationJson, HasTheDocumentedFields) {
  const answer::Json json = testing::tree_of([](JsonObject& out) { put_recommendation(out, recommendation()); });
  for (const char* field : {"id",
                            "title",
                            "priority",
                            "score",
                            "roi_score",
                            "tier",
                            "confidence",
                            "expected_impact",
                            "estimated_speedup_pct_min",
                            "estimated_speedup_pct_max",
                            "effort",
                            "risk",
                            "category",
                            "why",
                            "why_ranked",
                            "roi_components",
                            "guardrails_applied",
                            "prerequisites",
                            "actions",
                            "validation",
                            "validation_steps",
                            "risks",
                            "triggered_by"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(json["validation_steps"][0]["current_value"], 16.0);
  EXPECT_EQ(json["validation_steps"][1]["current_value"], nullptr);  // never invented
  EXPECT_EQ(json["validation_steps"][1]["threshold_good"], nullptr);
  EXPECT_TRUE(json["prerequisites"].is_object());
  EXPECT_EQ(json["speedup_bound_pct"], nullptr);
}

TEST(RecommendationJson, Bundles) {
  advise::Advice advice;
  advice.bundles.push_back({"Compute", "ncu_compute", {"a", "b"}});
  const std::string text = answer::compact_json([&](JsonObject& out) {
    put_bundles(out, "bundles", advice);
    put_withheld(out, "withheld", advice);
  });
  EXPECT_EQ(text, R"({"bundles":[{"label":"Compute","category":"ncu_compute","recommendation_ids":["a","b"]}],"withheld":[]})");
}

}  // namespace
}  // namespace frx::compose
