#include <map>

#include "compose/evidence.h"
#include "compose/json.h"

namespace frx::compose {
namespace {

using diagnose::Holds;
using diagnose::Reconciled;
using diagnose::Sign;
using knowledge::Layer;
using report::EvidenceReport;
using report::MissingEvidence;

std::string key_of(Layer layer) { return std::string(knowledge::name_of(layer)); }

// What a layer has to say is called findings in code and bottlenecks where it was measured.
Json layer_json(const Reconciled& one, Layer layer) {
  Json json = Json::object();
  const char* const list = knowledge::is_code(layer) ? "findings" : "bottlenecks";
  for (const Sign* sign : one.confirming) {
    if (sign->layer == layer)
      json[list].push_back({{"label", sign->name}, {"kernel", text_or_null(sign->kernel)}, {"evidence", text_or_null(sign->words)}});
  }
  for (const Sign* sign : one.contradicting) {
    if (sign->layer == layer) json["contradicted_by"].push_back({{"label", sign->name}, {"kernel", text_or_null(sign->kernel)}});
  }
  return json.empty() ? Json(nullptr) : json;
}

Json missing_json(const std::optional<MissingEvidence>& missing) {
  if (!missing) return nullptr;
  Json metrics = Json::array();
  for (const report::WantedCounter& counter : missing->counters)
    metrics.push_back({{"metric", counter.counter}, {"label", counter.label}, {"why", counter.why}, {"layer", "ncu"}});
  return {{"metrics", std::move(metrics)},
          {"ncu_command", missing->ncu_command},
          {"full_collection_command", missing->full_collection_command},
          {"confidence_if_confirmed", diagnose::name_of(missing->if_confirmed)}};
}

Json diagnosis_json(const Reconciled& one, const std::optional<MissingEvidence>& missing) {
  Json json{{"label", one.diagnosis->id},
            {"display_name", one.diagnosis->display},
            {"confidence", diagnose::name_of(one.confidence)},
            {"severity", one.diagnosis->severity}};
  json["kernel"] = text_or_null(one.kernel);
  json["kernels"] = Json::array();
  for (const auto& [kernel, confidence] : one.kernels)
    json["kernels"].push_back({{"kernel", kernel}, {"confidence", diagnose::name_of(confidence)}});
  json["layers_confirming"] = Json::array();
  for (const Layer layer : one.layers) json["layers_confirming"].push_back(key_of(layer));
  json["layers_contradicting"] = Json::array();
  for (std::size_t i = 0; i < knowledge::layer_count; ++i) {
    const auto layer = static_cast<Layer>(i);
    json["evidence"][key_of(layer)] = layer_json(one, layer);
    if (json["evidence"][key_of(layer)].contains("contradicted_by")) json["layers_contradicting"].push_back(key_of(layer));
  }
  json["fix_summary"] = one.diagnosis->fix;
  json["recommendation_ids"] = one.diagnosis->recommendations;
  json["missing_evidence"] = missing_json(missing);
  return json;
}

}  // namespace

Json evidence_json(const EvidenceReport& report) {
  Json json{{"schema", "reconciliation_v1"}};
  json["files"] = Json::array();
  for (const auto& [layer, file] : report.evidence.files) json["files"].push_back({{"layer", key_of(layer)}, {"file", file}});
  json["layers_available"] = Json::array();
  for (const Layer layer : report.reconciliation.layers_available) json["layers_available"].push_back(key_of(layer));
  json["diagnoses"] = Json::array();
  for (std::size_t i = 0; i < report.missing.size(); ++i)
    json["diagnoses"].push_back(diagnosis_json(report.reconciliation.diagnoses[i], report.missing[i]));
  json["unreconciled"] = Json::object();
  for (const Sign* sign : report.reconciliation.unreconciled) {
    Json& list = json["unreconciled"][key_of(sign->layer)];
    if (list.is_null()) list = Json::array();
    if (std::find(list.begin(), list.end(), Json(sign->name)) == list.end()) list.push_back(sign->name);
  }
  return json;
}

}  // namespace frx::compose
