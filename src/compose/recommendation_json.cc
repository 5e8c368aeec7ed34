// Recommendations as JSON: the documented fields, and what bounds and explains each.

#include "compose/json.h"
#include "compose/ncu_json.h"
#include "compose/recommendation_text.h"

namespace frx::compose {
namespace {

template <typename Views>
Json texts(const Views& views) {
  Json list = Json::array();
  for (const auto& view : views) list.push_back(view);
  return list;
}

Json components_json(const advise::Components& c) {
  return {{"speedup", number(c.speedup)},
          {"confidence", number(c.confidence)},
          {"cost_savings", number(c.cost_savings)},
          {"ease", number(c.ease)},
          {"safety", number(c.safety)},
          {"priority_boost", number(c.priority_boost)}};
}

Json step_json(const advise::ValidationStep& step) {
  return {{"metric", step.metric},
          {"label", step.label},
          {"direction", step.direction},
          {"threshold_good", number(step.threshold_good)},
          {"expected", step.expected},
          {"current_value", number(step.current_value)},
          {"unit", step.unit}};
}

Json forecast_json(const advise::Forecast& forecast) {
  const advise::Prediction& p = *forecast.prediction;
  return {{"metric", p.counter},
          {"reading", p.id},
          {"label", p.label},
          {"unit", p.unit},
          {"per_launch", p.is_sum},
          {"direction", advise::name_of(p.direction)},
          {"by_pct", p.is_points ? Json(nullptr) : Json(p.by)},
          {"by_points", p.is_points ? Json(p.by) : Json(nullptr)},
          {"to", number(p.to)},
          {"current_value", number(forecast.now)},
          {"predicted", forecast.bound ? number(forecast.bound->value) : Json(nullptr)}};
}

Json map_json(const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  Json map = Json::object();
  for (const auto& [key, value] : pairs) map[std::string(key)] = value;
  return map;
}

std::optional<double> microseconds(std::optional<double> ns) { return ns ? std::optional(*ns / 1e3) : std::nullopt; }

}  // namespace

Json validation_steps_json(const advise::Recommendation& r) {
  Json list = Json::array();
  for (const advise::ValidationStep& step : r.validation_steps) list.push_back(step_json(step));
  return list;
}

Json predictions_json(const advise::Recommendation& r) {
  Json list = Json::array();
  for (const advise::Forecast& forecast : r.predictions) list.push_back(forecast_json(forecast));
  return list;
}

Json recommendation_json(const advise::Recommendation& r) {
  Json json;
  json["id"] = r.id;
  json["title"] = r.title;
  json["priority"] = r.priority;
  json["score"] = number(r.score);
  json["roi_score"] = number(r.roi_score);
  json["tier"] = r.tier;
  json["confidence"] = number(r.confidence);
  json["expected_impact"] = r.expected_impact;
  json["estimated_speedup_pct_min"] = number(r.estimated_speedup_pct_min, 2);
  json["estimated_speedup_pct_max"] = number(r.estimated_speedup_pct_max, 2);
  json["effort"] = r.effort;
  json["risk"] = r.risk;
  json["category"] = r.category;
  json["why"] = r.why;
  json["because"] = r.because;
  json["why_ranked"] = texts(r.why_ranked);
  json["roi_components"] = components_json(r.roi_components);
  json["guardrails_applied"] = texts(r.guardrails_applied);
  json["prerequisites"] = map_json(r.prerequisites);
  json["actions"] = texts(r.actions);
  json["validation"] = texts(r.validation);
  json["validation_steps"] = validation_steps_json(r);
  json["predictions"] = predictions_json(r);
  const std::string command = validation_command(r);
  json["validation_command"] = command.empty() ? Json(nullptr) : Json(command);
  json["risks"] = texts(r.risks);
  json["triggered_by"] = r.triggered_by;
  json["label"] = r.label;
  json["kernel_name"] = r.kernel.empty() ? Json(nullptr) : Json(r.kernel);
  json["time_at_stake_us"] = number(microseconds(r.time_at_stake_ns));
  json["speedup_bound_pct"] = number(r.speedup_bound_pct, 2);
  json["notes"] = texts(r.notes);
  return json;
}

Json bundles_json(const advise::Advice& advice) {
  Json list = Json::array();
  for (const advise::Bundle& bundle : advice.bundles) {
    list.push_back({{"label", bundle.label}, {"category", bundle.category}, {"recommendation_ids", texts(bundle.ids)}});
  }
  return list;
}

Json withheld_json(const advise::Advice& advice) {
  Json list = Json::array();
  for (const advise::Withheld& withheld : advice.withheld) {
    Json evidence = Json::object();
    for (const auto& [name, value] : withheld.evidence) evidence[std::string(name)] = number(value);
    list.push_back({{"id", withheld.card->id},
                    {"title", withheld.card->title},
                    {"category", withheld.card->category},
                    {"reason", withheld.reason},
                    {"blocked_by", texts(withheld.blocked_by)},
                    {"evidence", std::move(evidence)}});
  }
  return list;
}

}  // namespace frx::compose
