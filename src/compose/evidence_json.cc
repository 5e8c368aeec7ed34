#include <algorithm>

#include "compose/findings.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using diagnose::Reconciled;
using model::Finding;
using model::Layer;
using report::EvidenceReport;
using report::MissingEvidence;

std::vector<const Finding*> of_layer(const std::vector<const Finding*>& findings, Layer layer) {
  std::vector<const Finding*> found;
  std::ranges::copy_if(findings, std::back_inserter(found), [&](const Finding* finding) { return finding->type->layer == layer; });
  return found;
}

std::vector<std::string_view> names_of(const std::vector<Layer>& layers) {
  std::vector<std::string_view> names;
  for (const Layer layer : layers) names.push_back(model::name_of(layer));
  return names;
}

// What a layer has to say is called findings in code and bottlenecks where it was measured.
void put_layer(JsonObject& out, const Reconciled& one, Layer layer) {
  const std::vector<const Finding*> confirming = of_layer(one.confirming, layer), contradicting = of_layer(one.contradicting, layer);
  const std::string_view key = model::name_of(layer);
  if (confirming.empty() && contradicting.empty()) return out.add(key, nullptr);
  out.object(key, [&](JsonObject& inner) {
    if (!confirming.empty()) {
      inner.list(model::is_code(layer) ? "findings" : "bottlenecks", confirming, [](JsonObject& entry, const Finding* finding) {
        entry.add("label", finding->id(), "kernel", unless_empty(finding->kernel), "evidence", unless_empty(evidence_words(*finding)));
      });
    }
    if (!contradicting.empty()) {
      inner.list("contradicted_by", contradicting, [](JsonObject& entry, const Finding* finding) {
        entry.add("label", finding->id(), "kernel", unless_empty(finding->kernel));
      });
    }
  });
}

void put_missing(JsonObject& out, const MissingEvidence& missing) {
  out.list("metrics", missing.counters, [](JsonObject& inner, const report::WantedCounter& counter) {
    inner.add("metric", counter.counter, "label", counter.label, "why", counter.why, "layer", "ncu");
  });
  out.add("ncu_command", missing.ncu_command, "full_collection_command", missing.full_collection_command, "confidence_if_confirmed",
          diagnose::name_of(missing.if_confirmed));
}

void put_diagnosis(JsonObject& out, const Reconciled& one, const std::optional<MissingEvidence>& missing) {
  out.add("label", one.diagnosis->id, "display_name", one.diagnosis->display, "confidence", diagnose::name_of(one.confidence), "severity",
          one.diagnosis->severity, "kernel", unless_empty(one.kernel));
  out.list("kernels", one.kernels, [](JsonObject& inner, const diagnose::ReconciledKernel& kernel) {
    inner.add("kernel", kernel.kernel, "confidence", diagnose::name_of(kernel.confidence), "cause",
              when(kernel.cause != nullptr, kernel.cause ? kernel.cause->id : std::string_view()));
    inner.list("evidence", kernel.confirming, [](JsonObject& entry, const Finding* finding) {
      entry.add("layer", model::name_of(finding->type->layer), "label", finding->id(), "evidence", unless_empty(evidence_words(*finding)));
    });
  });
  out.add("consequence_of", when(one.cause != nullptr, one.cause ? one.cause->id : std::string_view()));
  out.object("measured_at", one.measured_at,
             [](JsonObject& inner, const model::TextPlace& place) { inner.add("file", place.file.view(), "line", place.line); });
  std::vector<Layer> contradicting;
  for (std::size_t i = 0; i < model::layer_count; ++i) {
    if (!of_layer(one.contradicting, static_cast<Layer>(i)).empty()) contradicting.push_back(static_cast<Layer>(i));
  }
  out.add("layers_confirming", names_of(one.layers), "layers_contradicting", names_of(contradicting));
  out.object("evidence", [&](JsonObject& inner) {
    for (std::size_t i = 0; i < model::layer_count; ++i) put_layer(inner, one, static_cast<Layer>(i));
  });
  out.add("fix_summary", one.diagnosis->fix, "recommendation_ids", one.diagnosis->recommendations);
  out.object("missing_evidence", missing, put_missing);
}

}  // namespace

void put_evidence(JsonObject& out, const EvidenceReport& report) {
  const diagnose::Reconciliation& all = report.reconciliation;
  out.add("schema", "reconciliation_v1");
  out.list("files", report.evidence.files,
           [](JsonObject& inner, const auto& file) { inner.add("layer", model::name_of(file.first), "file", file.second); });
  out.add("layers_available", names_of(all.layers_available));
  const std::span<const std::optional<MissingEvidence>> missing = report.missing;
  out.list("diagnoses", missing, [&](JsonObject& inner, const std::optional<MissingEvidence>& one) {
    put_diagnosis(inner, all.diagnoses[static_cast<std::size_t>(&one - missing.data())], one);
  });
  out.object("unreconciled", [&](JsonObject& inner) {
    std::vector<Layer> layers;  // in the order of their first finding
    for (const Finding* finding : all.unreconciled) {
      if (std::ranges::find(layers, finding->type->layer) == layers.end()) layers.push_back(finding->type->layer);
    }
    for (const Layer layer : layers) {
      std::vector<std::string_view> names;
      for (const Finding* finding : of_layer(all.unreconciled, layer)) {
        if (std::ranges::find(names, finding->id()) == names.end()) names.push_back(finding->id());
      }
      inner.add(model::name_of(layer), names);
    }
  });
}

}  // namespace frx::compose
