// frx_evidence.json: `frx_explain_v0`.

#include <algorithm>

#include "compose/code_findings.h"
#include "compose/evidence.h"
#include "compose/explain_facts.h"
#include "compose/json.h"
#include "compose/ncu_json.h"
#include "compose/ncu_words.h"

namespace frx::compose {
namespace {

using report::Finding;
using report::NcuReport;

Json texts(const auto& views, std::size_t limit = SIZE_MAX) {
  Json list = Json::array();
  for (const auto& view : views) {
    if (list.size() < limit) list.push_back(view);
  }
  return list;
}

Json recommendation_ids(const NcuReport& report, std::string_view label) {
  Json list = Json::array();
  for (const advise::Recommendation& r : report.advice.recommendations) {
    if (r.label == label) list.push_back(r.id);
  }
  return list;
}

// The title of the best card that answers it, else what it means.
std::string fix_summary(const NcuReport& report, const Finding& finding) {
  for (const advise::Recommendation& r : report.advice.recommendations) {
    if (r.label == finding.label) return std::string(r.title);
  }
  return finding.why;
}

// `together`: what several layers say of it, or null.
Json diagnosis_json(const NcuReport& report, const Finding& finding, const diagnose::Reconciled* together) {
  Json metrics = Json::object();
  for (const report::EvidenceLine& line : finding.evidence)
    metrics[std::string(line.value.id)] = number(line.value.value());
  Json json;
  json["label"] = finding.label;
  json["display_name"] = finding.display;
  json["confidence"] = finding.label == report.primary ? report.confidence : "medium";
  json["severity"] = severity_of(&finding);
  json["score"] = number(finding.score);
  json["layers_confirming"] = Json::array({"ncu"});
  json["evidence"] = Json::object();
  if (together) {
    json["layers_confirming"] = Json::array();
    for (const knowledge::Layer layer : together->layers) json["layers_confirming"].push_back(knowledge::name_of(layer));
    json["reconciled_as"] = together->diagnosis->id;
    json["reconciled_confidence"] = diagnose::name_of(together->confidence);
  }
  json["evidence"]["ncu"] = {{"bottlenecks", Json::array({finding.label})}, {"metrics", std::move(metrics)}};
  json["fix_summary"] = fix_summary(report, finding);
  json["explained_by"] = finding.explained_by.empty() ? Json(nullptr) : Json(finding.explained_by);
  json["recommendation_ids"] = recommendation_ids(report, finding.label);
  json["missing_evidence"] = nullptr;
  return json;
}

// Also where nothing was found: the verdict is a statement of its own.
Json primary_json(const ExplainInput& input) {
  const NcuReport& report = input.report;
  if (const Finding* finding = primary_finding(report)) return diagnosis_json(report, *finding, reconciled_with(input, finding->label));
  Json json;
  json["label"] = report.primary;
  json["display_name"] = report.primary_display;
  json["confidence"] = report.confidence;
  json["severity"] = severity_of(nullptr);
  json["score"] = nullptr;
  json["layers_confirming"] = Json::array();
  json["recommendation_ids"] = recommendation_ids(report, report.primary);
  return json;
}

Json metrics_json(const NcuReport& report) {
  Json json = Json::object();
  for (const KeyMetric& metric : key_metrics(report)) {
    if (metric.value) json[std::string(metric.key)] = number(metric.value);
  }
  for (const auto& [reason, value, kind] : report.stalls) {
    if (reason != report.dominant_stall) continue;
    json["dominant_warp_stall"] = reason;
    if (value > 0) json["dominant_warp_stall_pct"] = number(value, 2);
  }
  return json;
}

Json kernels_json(const NcuReport& report) {
  std::vector<const report::Kernel*> order;
  for (const report::Kernel& kernel : report.kernels) order.push_back(&kernel);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->opportunity_score.value_or(-1) > b->opportunity_score.value_or(-1); });
  Json list = Json::array();
  for (std::size_t i = 0; i < order.size() && i < 5; ++i) {
    list.push_back(
        {{"kernel_name", order[i]->name},
         {"opportunity", order[i]->opportunity},
         {"mfu_pct", number(order[i]->roofline.mfu_pct, 2)},
         {"roofline_region", order[i]->roofline.region.empty() ? Json(nullptr) : Json(order[i]->roofline.region)},
         {"runtime_share_pct", number(order[i]->runtime_share_pct, 2)},
         {"primary_bottleneck", order[i]->primary}});
  }
  return list;
}

Json fix_json(const advise::Recommendation& r) {
  Json json;
  json["id"] = r.id;
  json["title"] = r.title;
  json["priority"] = r.priority;
  json["tier"] = r.tier;
  json["score"] = number(r.score);
  json["estimated_speedup_pct_min"] = number(r.estimated_speedup_pct_min, 2);
  json["estimated_speedup_pct_max"] = number(r.estimated_speedup_pct_max, 2);
  json["speedup_bound_pct"] = number(r.speedup_bound_pct, 2);
  json["why"] = r.why;
  json["actions"] = texts(r.actions, 2);
  json["validation_steps"] = validation_steps_json(r);
  return json;
}

Json missing_json(const ExplainInput& input) {
  Json list = Json::array();
  for (const MissingData& missing : missing_data(input)) {
    Json entry{
        {"layer", missing.layer}, {"description", missing.description}, {"how_to_collect", missing.how_to_collect}};
    if (!missing.warnings.empty()) entry["warnings"] = missing.warnings;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

Json explain_json(const ExplainInput& input) {
  const NcuReport& report = input.report;
  Json json;
  json["schema"] = "frx_explain_v0";
  json["source"] = report.source;
  json["kernel_source"] = input.kernel_source_path.empty() ? Json(nullptr) : Json(input.kernel_source_path);
  json["layers_available"] = texts(layers_available(input));
  json["primary_diagnosis"] = primary_json(input);
  json["diagnoses"] = Json::array();
  json["ncu_bottlenecks"] = Json::array();
  for (const Finding& finding : report.findings) {
    json["diagnoses"].push_back(diagnosis_json(report, finding, reconciled_with(input, finding.label)));
    json["ncu_bottlenecks"].push_back({{"label", finding.label}, {"score", number(finding.score)}});
  }
  json["key_metrics"] = metrics_json(report);
  json["static_findings"] = input.code ? findings_json(input.code->findings) : Json::array();
  json["reconciliation"] = input.together ? evidence_json(*input.together) : Json(nullptr);
  json["top_kernels"] = kernels_json(report);
  json["roofline"] = roofline_json(report.roofline);
  json["occupancy_summary"] = occupancy_summary_json(report);
  json["top_recommendations"] = Json::array();
  for (const advise::Recommendation& r : report.advice.recommendations) {
    if (json["top_recommendations"].size() < 3) json["top_recommendations"].push_back(fix_json(r));
  }
  json["missing_data"] = missing_json(input);
  return json;
}

}  // namespace frx::compose
