// Recommendations as JSON: the documented fields, and what bounds and explains each.

#include "compose/payloads.h"
#include "compose/recommendation_text.h"

namespace frx::compose {
namespace {

void put_components(JsonObject& out, const advise::Components& c) {
  out.add("speedup", c.speedup, "confidence", c.confidence, "cost_savings", c.cost_savings, "ease", c.ease, "safety", c.safety,
          "priority_boost", c.priority_boost);
}

void put_validation_step(JsonObject& out, const advise::ValidationStep& step) {
  out.add("metric", step.metric, "label", step.label, "direction", step.direction, "threshold_good", step.threshold_good, "expected",
          step.expected, "current_value", step.current_value, "unit", step.unit);
}

void put_forecast(JsonObject& out, const advise::Forecast& forecast) {
  const advise::Prediction& p = *forecast.prediction;
  const std::optional<double> by = p.by;
  out.add("metric", p.counter, "reading", p.id, "label", p.label, "unit", p.unit, "per_launch", p.is_sum);
  out.add("direction", advise::name_of(p.direction), "by_pct", p.is_points ? std::nullopt : by, "by_points",
          p.is_points ? by : std::nullopt);
  out.add("to", p.to, "current_value", forecast.now, "predicted", forecast.bound ? std::optional(forecast.bound->value) : std::nullopt);
}

}  // namespace

void put_validation_steps(JsonObject& out, const advise::Recommendation& r) {
  out.list("validation_steps", r.validation_steps, put_validation_step);
}

void put_recommendation(JsonObject& out, const advise::Recommendation& r) {
  out.add("id", r.id, "title", r.title, "priority", r.priority, "score", r.score, "roi_score", r.roi_score, "tier", r.tier);
  out.add("confidence", r.confidence, "expected_impact", r.expected_impact);
  out.add("estimated_speedup_pct_min", rounded(r.estimated_speedup_pct_min, 2));
  out.add("estimated_speedup_pct_max", rounded(r.estimated_speedup_pct_max, 2));
  out.add("effort", r.effort, "risk", r.risk, "category", r.category, "why", r.why, "because", r.because, "why_ranked", r.why_ranked);
  out.object("roi_components", [&](JsonObject& inner) { put_components(inner, r.roi_components); });
  out.add("guardrails_applied", r.guardrails_applied);
  out.object("prerequisites", [&](JsonObject& inner) {
    for (const auto& [key, value] : r.prerequisites) inner.add(key, value);
  });
  out.add("actions", r.actions, "validation", r.validation);
  put_validation_steps(out, r);
  out.list("predictions", r.predictions, put_forecast);
  out.add("validation_command", unless_empty(validation_command(r)), "risks", r.risks, "triggered_by", r.triggered_by, "label", r.label);
  out.add("kernel_name", unless_empty(r.kernel), "time_at_stake_us", microseconds(r.time_at_stake_ns));
  out.add("speedup_bound_pct", rounded(r.speedup_bound_pct, 2), "notes", r.notes);
}

void put_bundles(JsonObject& out, std::string_view key, const advise::Advice& advice) {
  out.list(key, advice.bundles, [](JsonObject& inner, const advise::Bundle& bundle) {
    inner.add("label", bundle.label, "category", bundle.category, "recommendation_ids", bundle.ids);
  });
}

void put_withheld(JsonObject& out, std::string_view key, const advise::Advice& advice) {
  out.list(key, advice.withheld, [](JsonObject& inner, const advise::Withheld& withheld) {
    inner.add("id", withheld.card->id, "title", withheld.card->title, "category", withheld.card->category, "reason", withheld.reason,
              "blocked_by", withheld.blocked_by);
    inner.object("evidence", [&](JsonObject& evidence) {
      for (const auto& [name, value] : withheld.evidence) evidence.add(name, value);
    });
  });
}

}  // namespace frx::compose
