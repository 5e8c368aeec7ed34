#include <ranges>

#include "compose/capture_comparison.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using answer::unless_empty;
using report::CaptureComparison;
using report::CaptureRow;
using report::OperatorCapture;
using report::RowPart;

// Means over iterations, to a tenth.
answer::Rounded nanoseconds(std::optional<double> ns) { return answer::rounded(ns, 1); }

std::optional<std::string_view> unless_unknown(std::string_view fact) {
  return fact.empty() || fact == "not recorded" ? std::nullopt : std::optional(fact);
}

std::string_view name_of(report::IterationSource source) {
  switch (source) {
    case report::IterationSource::window: return "window";
    case report::IterationSource::steps: return "steps";
    case report::IterationSource::none: return "none";
  }
  return {};
}

void put_capture_side(JsonObject& out, const OperatorCapture& side) {
  const report::CaptureFacts& facts = side.facts;
  out.add(
      "filename", side.source, "kind", side.kind, "gpu", unless_empty(facts.device_name), "model_name", unless_unknown(facts.model_name),
      "torch_version", unless_unknown(facts.torch_version), "compile_mode", unless_unknown(facts.compile_mode), "captured_at",
      unless_empty(facts.timestamp_utc), "clocks", facts.clocks ? unless_empty(facts.clocks->status) : std::nullopt, "iterations_by",
      name_of(side.iterations_by), "iterations", side.iteration_ns.size(), "kernel_ns", nanoseconds(side.ns_per_iteration()), "kernels",
      exact(static_cast<double>(side.kernels) / side.iterations()), "iteration_ns", side.iteration_ns | std::views::transform(nanoseconds));
  out.object("outside_iterations", [&](JsonObject& inner) { inner.add("kernels", side.outside.kernels, "gpu_ns", side.outside.gpu_ns); });
}

void put_judgement(JsonObject& out, const derive::compare::Judgement& judgement) {
  out.add("time_ratio", judgement.ratio, "time_ratio_low", judgement.low, "time_ratio_high", judgement.high);
}

void put_capture_verdict(JsonObject& out, const CaptureComparison& comparison) {
  const double before = comparison.before_ns(), after = comparison.after_ns();
  out.add("answer", derive::compare::name_of(comparison.judgement.answer), "why_not", unless_empty(comparison.why_not), "not_comparable",
          comparison.not_comparable, "before_ns", nanoseconds(before), "after_ns", nanoseconds(after), "change_ns",
          nanoseconds(after - before), "change_pct", 100 * (after - before) / before);
  put_judgement(out, comparison.judgement);
  out.add("confidence_level", 0.99, "noise_floor", exact(derive::compare::default_noise_floor), "iterations_needed",
          report::fewest_iterations, "sentence", verdict_sentence(comparison));
}

void put_part(JsonObject& out, const RowPart& part) {
  out.add("name", report::shown_name(part.name), "shapes", unless_empty(part.shapes), "gpu_ns", nanoseconds(part.ns), "kernels",
          exact(part.kernels));
}

void put_row(JsonObject& out, const CaptureRow& row) {
  out.add("name", report::shown_name(row.name), "shapes", unless_empty(row.shapes), "shapes_after", unless_empty(row.shapes_after),
          "is_operator", !row.is_scope && !row.name.empty(), "status", report::name_of(row.status), "before_ns", nanoseconds(row.before_ns),
          "after_ns", nanoseconds(row.after_ns), "change_ns", nanoseconds(row.change_ns()), "before_kernels", exact(row.before_kernels),
          "after_kernels", exact(row.after_kernels), "answer", derive::compare::name_of(row.judgement.answer));
  put_judgement(out, row.judgement);
  out.list("parts_before", row.parts_before, put_part);
  out.list("parts_after", row.parts_after, put_part);
  out.list("counters", row.counters, [](JsonObject& one, const report::RowCounter& counter) {
    one.add("member", counter.member, "before", counter.before, "after", counter.after, "moved", counter.is_moved);
  });
  out.add("agreement", unless_empty(report::name_of(row.agreement)));
}

}  // namespace

void put_capture_comparison(JsonObject& out, const CaptureComparison& comparison) {
  out.add("schema", "operator_comparison_v0");
  out.object("before", &comparison.before, put_capture_side);
  out.object("after", &comparison.after, put_capture_side);
  out.object("verdict", &comparison, put_capture_verdict);
  out.add("batch", report::name_of(comparison.batch), "by_shapes", comparison.by_shapes);
  out.list("rows", comparison.rows, put_row);
  out.list("remaining", comparison.remaining, put_part);
  out.list("caveats", comparison.caveats,
           [](JsonObject& one, const report::Caveat& caveat) { one.add("id", caveat.id, "text", caveat.text); });
}

}  // namespace frx::compose
