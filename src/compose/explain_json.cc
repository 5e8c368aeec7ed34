// frx_evidence.json: `frx_explain_v0`.

#include <algorithm>

#include "compose/explain_facts.h"
#include "compose/findings.h"
#include "compose/ncu_words.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using model::Finding;
using report::NcuReport;

std::vector<std::string_view> recommendation_ids(const NcuReport& report, std::string_view label) {
  std::vector<std::string_view> ids;
  for (const advise::Recommendation& r : report.advice.recommendations) {
    if (r.label == label) ids.push_back(r.id);
  }
  return ids;
}

// The title of the best card that answers it, else what it means.
std::string_view fix_summary(const NcuReport& report, const Finding& finding) {
  const auto& all = report.advice.recommendations;
  const auto at = std::ranges::find(all, finding.id(), &advise::Recommendation::label);
  return at == all.end() ? std::string_view(finding.type->why) : at->title;
}

void put_ncu_evidence(JsonObject& out, const Finding& finding) {
  out.add("bottlenecks", std::array{std::string_view(finding.id())});
  out.object("metrics", [&](JsonObject& inner) { put_readings(inner, finding); });
}

void put_diagnosis(JsonObject& out, const ExplainInput& input, const Finding& finding) {
  const NcuReport& report = input.report;
  const diagnose::Reconciled* const together = reconciled_with(input, finding.id());  // what several layers say of it
  std::vector<std::string_view> layers = {"ncu"};
  if (together) {
    layers.clear();
    for (const model::Layer layer : together->layers) layers.push_back(model::name_of(layer));
  }
  out.add("label", finding.id(), "display_name", finding.display(), "confidence",
          finding.id() == report.primary ? report.confidence : "medium", "severity", severity_of(&finding), "score", finding.score,
          "layers_confirming", layers);
  out.object("evidence", [&](JsonObject& inner) { inner.object("ncu", &finding, put_ncu_evidence); });
  if (together) out.add("reconciled_as", together->diagnosis->id, "reconciled_confidence", diagnose::name_of(together->confidence));
  out.add("fix_summary", fix_summary(report, finding), "explained_by", unless_empty(finding.consequence_of), "recommendation_ids",
          recommendation_ids(report, finding.id()), "missing_evidence", nullptr);
}

// Also where nothing was found: the verdict is a statement of its own.
void put_primary(JsonObject& out, const ExplainInput& input) {
  const NcuReport& report = input.report;
  if (const Finding* finding = primary_finding(report)) return put_diagnosis(out, input, *finding);
  out.add("label", report.primary, "display_name", report.primary_display, "confidence", report.confidence, "severity",
          severity_of(nullptr), "score", nullptr, "layers_confirming", std::vector<std::string_view>(), "recommendation_ids",
          recommendation_ids(report, report.primary));
}

void put_key_metrics(JsonObject& out, const NcuReport& report) {
  for (const KeyMetric& metric : key_metrics(report)) {
    if (metric.value) out.add(metric.key, metric.value);
  }
  for (const auto& [reason, value, kind] : report.stalls) {
    if (reason != report.dominant_stall) continue;
    out.add("dominant_warp_stall", reason);
    if (value > 0) out.add("dominant_warp_stall_pct", rounded(value, 2));
  }
}

void put_top_kernels(JsonObject& out, const NcuReport& report) {
  std::vector<const report::Kernel*> order = by_opportunity(report);
  order.resize(std::min<std::size_t>(order.size(), 5));
  out.list("top_kernels", order, [](JsonObject& inner, const report::Kernel* kernel) {
    inner.add("kernel_name", kernel->name, "opportunity", kernel->opportunity, "mfu_pct", rounded(kernel->roofline.mfu_pct, 2),
              "roofline_region", unless_empty(kernel->roofline.region), "runtime_share_pct", rounded(kernel->runtime_share_pct, 2),
              "primary_bottleneck", kernel->primary);
  });
}

void put_fix(JsonObject& out, const advise::Recommendation& r) {
  out.add("id", r.id, "title", r.title, "priority", r.priority, "tier", r.tier, "score", r.score, "estimated_speedup_pct_min",
          rounded(r.estimated_speedup_pct_min, 2), "estimated_speedup_pct_max", rounded(r.estimated_speedup_pct_max, 2),
          "speedup_bound_pct", rounded(r.speedup_bound_pct, 2), "why", r.why, "actions",
          std::span(r.actions).first(std::min<std::size_t>(r.actions.size(), 2)));
  put_validation_steps(out, r);
}

}  // namespace

void put_top_recommendations(JsonObject& out, const advise::Advice& advice) {
  const std::span<const advise::Recommendation> cards = advice.recommendations;
  out.list("top_recommendations", cards.first(std::min<std::size_t>(cards.size(), 3)), put_fix);
}

void put_explanation(JsonObject& out, const ExplainInput& input) {
  const NcuReport& report = input.report;
  out.add("schema", "frx_explain_v0", "source", report.source, "kernel_source", unless_empty(input.source.path), "layers_available",
          layers_available(input));
  out.object("primary_diagnosis", &input, put_primary);
  out.list("diagnoses", report.findings, [&](JsonObject& inner, const Finding& finding) { put_diagnosis(inner, input, finding); });
  out.list("ncu_bottlenecks", report.findings,
           [](JsonObject& inner, const Finding& finding) { inner.add("label", finding.id(), "score", finding.score); });
  out.object("key_metrics", &report, put_key_metrics);
  out.list("static_findings", input.code ? std::span<const model::Finding>(input.code->findings) : std::span<const model::Finding>(),
           put_finding);
  out.object("reconciliation", input.together, put_evidence);
  put_top_kernels(out, report);
  put_roofline(out, report.roofline);
  put_occupancy_summary(out, report);
  put_top_recommendations(out, report.advice);
  out.list("missing_data", missing_data(input), [](JsonObject& inner, const MissingData& missing) {
    inner.add("layer", missing.layer, "description", missing.description, "how_to_collect", missing.how_to_collect);
    if (!missing.warnings.empty()) inner.add("warnings", missing.warnings);
  });
}

}  // namespace frx::compose
