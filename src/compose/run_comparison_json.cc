#include "compose/run_comparison.h"
#include "compose/json.h"
#include "compose/run_comparison_words.h"

namespace frx::compose {
namespace {

using report::ComparedRun;
using report::RunComparison;

Json side_json(const ComparedRun& run) {
  return {{"label", run.label},
          {"source", run.source},
          {"evidence", run.evidence},
          {"gpus", run.gpus.empty() ? Json(nullptr) : Json(run.gpus)},
          {"world_size", run.world_size ? Json(*run.world_size) : Json(nullptr)},
          {"primary_bottleneck", run.primary.empty() ? Json(nullptr) : Json(run.primary)},
          {"marks_steps", run.has_steps},
          {"steps_left_out", run.skipped},
          {"step_ns", run.step_ns},
          {"batch_size", number(run.batch)}};
}

Json baselines_json(const std::optional<derive::compare::BaselineSpread>& baselines) {
  if (!baselines) return nullptr;
  return {{"runs", baselines->runs}, {"largest_difference", number(baselines->largest)}, {"noise_floor", number(baselines->share_less())}};
}

std::string_view doubt_id(const RunComparison& comparison) {
  using derive::compare::Doubt;
  if (!comparison.not_comparable.empty()) return "not_comparable";
  switch (comparison.judgement.doubt) {
    case Doubt::too_few: return "too_few_steps";
    case Doubt::within_noise: return "within_noise";
    case Doubt::too_scattered: return "too_scattered";
    case Doubt::none: break;
  }
  return {};
}

Json operators_json(const report::OperatorComparison& operators) {
  Json rows = Json::array();
  for (const report::ComparedOperator& row : operators.rows) {
    rows.push_back({{"name", row.name},
                    {"shapes", text_or_null(row.shapes)},
                    {"a_ns", number(row.first_ns)},
                    {"b_ns", number(row.second_ns)},
                    {"a_count", number(row.first_count)},
                    {"b_count", number(row.second_count)},
                    {"fused_of", row.fused_of}});
  }
  return {{"by_shapes", operators.by_shapes},
          {"is_cut", operators.is_cut},
          {"a_ns", operators.rows.empty() ? Json(nullptr) : number(operators.first_ns)},
          {"b_ns", operators.rows.empty() ? Json(nullptr) : number(operators.second_ns)},
          {"rows", std::move(rows)}};
}

}  // namespace

Json run_comparison_json(const RunComparison& comparison) {
  const derive::compare::Judgement& judgement = comparison.judgement;
  const std::string_view doubt = doubt_id(comparison);
  Json json;
  json["schema"] = "run_comparison_v1";
  json["a"] = side_json(comparison.first);
  json["b"] = side_json(comparison.second);
  json["verdict"] = {{"answer", derive::compare::name_of(judgement.answer)},
                     {"why_not", doubt.empty() ? Json(nullptr) : Json(doubt)},
                     {"not_comparable", comparison.not_comparable},
                     {"time_ratio", number(judgement.ratio)},
                     {"time_ratio_low", number(judgement.low)},
                     {"time_ratio_high", number(judgement.high)},
                     {"confidence_level", 0.99},
                     {"noise_floor", comparison.noise_floor},
                     {"baselines", baselines_json(comparison.baselines)},
                     {"per_sample", comparison.per_sample},
                     {"steps", {{"a", judgement.first}, {"b", judgement.second}}},
                     {"independent_steps", {{"a", number(judgement.first_effective)}, {"b", number(judgement.second_effective)}}},
                     {"steps_needed", number(comparison.steps_needed)},
                     {"sentence", verdict_sentence(comparison)}};
  json["step_parts"] = Json::array();
  for (const report::ComparedPart& part : comparison.parts)
    json["step_parts"].push_back({{"name", part.name}, {"a_ns", number(part.first_ns)}, {"b_ns", number(part.second_ns)}});
  json["kernels"] = Json::array();
  for (const report::ComparedKernel& row : comparison.kernels) {
    json["kernels"].push_back({{"name", row.name},
                               {"a_ns", number(row.first_ns)},
                               {"b_ns", number(row.second_ns)},
                               {"a_launches", number(row.first_count)},
                               {"b_launches", number(row.second_count)}});
  }
  json["operators"] = operators_json(comparison.operators);
  json["notes"] = comparison.notes;
  return json;
}

}  // namespace frx::compose
