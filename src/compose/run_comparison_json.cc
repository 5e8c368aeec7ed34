#include "compose/documents.h"
#include "compose/layout_diff.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using derive::compare::Judgement;
using report::ComparedRun;
using report::RunComparison;

void put_compared_run(JsonObject& out, const ComparedRun& run) {
  out.add("label", run.label, "source", run.source, "evidence", run.evidence, "gpus", unless_empty(run.gpus), "world_size", run.world_size,
          "primary_bottleneck", unless_empty(run.primary), "marks_steps", run.has_steps, "steps_left_out", run.skipped, "step_ns",
          run.step_ns | std::views::transform(exact), "batch_size", run.batch, "layout_copy_share", exact(run.layout_copy_share));
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

void put_comparison_verdict(JsonObject& out, const RunComparison& comparison) {
  const Judgement& judgement = comparison.judgement;
  const auto sides = [&](std::string_view key, auto first, auto second) {
    out.object(key, [&](JsonObject& inner) { inner.add("a", first, "b", second); });
  };
  out.add("answer", derive::compare::name_of(judgement.answer), "why_not", unless_empty(doubt_id(comparison)), "not_comparable",
          comparison.not_comparable, "time_ratio", judgement.ratio, "time_ratio_low", judgement.low, "time_ratio_high", judgement.high,
          "confidence_level", 0.99, "noise_floor", exact(comparison.noise_floor));
  put_baselines(out, comparison.baselines, comparison.baselines ? comparison.baselines->share_less() : 0);
  out.add("per_sample", comparison.per_sample);
  sides("steps", judgement.first, judgement.second);
  sides("independent_steps", judgement.first_effective, judgement.second_effective);
  const report::ComparedPart* carrier = comparison.carrier();
  out.add("steps_needed", comparison.steps_needed, "carried_by", when(carrier != nullptr, carrier ? carrier->name : std::string()),
          "sentence", verdict_sentence(comparison));
}

void put_operators(JsonObject& out, const report::OperatorComparison& operators) {
  const bool any = !operators.rows.empty();
  out.add("by_shapes", operators.by_shapes, "is_cut", operators.is_cut, "a_ns", when(any, operators.first_ns), "b_ns",
          when(any, operators.second_ns));
  out.list("rows", operators.rows, [](JsonObject& inner, const report::ComparedOperator& row) {
    inner.add("name", row.name, "shapes", unless_empty(row.shapes), "a_ns", row.first_ns, "b_ns", row.second_ns, "a_count", row.first_count,
              "b_count", row.second_count, "fused_of", row.fused_of);
  });
}

}  // namespace

void put_baselines(JsonObject& out, const std::optional<derive::compare::BaselineSpread>& baselines, double noise_floor) {
  out.object("baselines", baselines, [&](JsonObject& inner, const derive::compare::BaselineSpread& spread) {
    inner.add("runs", spread.runs, "largest_difference", spread.largest, "noise_floor", noise_floor);
  });
}

void put_run_comparison(JsonObject& out, const RunComparison& comparison) {
  out.add("schema", "run_comparison_v1");
  out.object("a", &comparison.first, put_compared_run);
  out.object("b", &comparison.second, put_compared_run);
  out.object("verdict", &comparison, put_comparison_verdict);
  out.list("step_parts", comparison.parts, [](JsonObject& inner, const report::ComparedPart& part) {
    inner.add("name", part.name, "a_ns", part.first_ns, "b_ns", part.second_ns, "step_ratio", part.effect.ratio, "step_ratio_low",
              part.effect.low, "step_ratio_high", part.effect.high, "answer", derive::compare::name_of(part.effect.answer));
  });
  out.list("kernels", comparison.kernels, [](JsonObject& inner, const report::ComparedKernel& row) {
    inner.add("name", row.name, "a_ns", row.first_ns, "b_ns", row.second_ns, "a_launches", row.first_count, "b_launches", row.second_count);
  });
  out.object("operators", &comparison.operators, put_operators);
  out.object("layouts", comparison.layouts.get(), put_layout_diff);
  out.add("notes", comparison.notes);
}

}  // namespace frx::compose
