#include "render/reconciliation.h"

namespace frx::render {
namespace {

using report::ReconciledDiagnosis;

// null for a layer that says nothing.
Json layer_json(std::string_view key, const std::vector<std::string_view>& names) {
  if (names.empty()) return nullptr;
  Json json = Json::object();
  json[std::string(key)] = names;
  return json;
}

Json evidence_json(const ReconciledDiagnosis& one) {
  Json ncu = layer_json("bottlenecks", one.ncu);
  if (!one.measured.empty()) {
    if (ncu.is_null()) ncu = {{"bottlenecks", Json::array()}};
    ncu["metrics"] = Json::object();
    for (const auto& [id, value] : one.measured) ncu["metrics"][std::string(id)] = number(value);
  }
  return {{"source", layer_json("findings", one.source)}, {"ptx", layer_json("findings", one.ptx)}, {"ncu", ncu}, {"profiler", nullptr}};
}

Json missing_json(const std::optional<report::MissingEvidence>& missing) {
  if (!missing) return nullptr;
  Json metrics = Json::array();
  for (const report::MissingEvidence::Metric& metric : missing->metrics)
    metrics.push_back({{"metric", metric.counter}, {"label", metric.label}, {"why", metric.why}, {"layer", "ncu"}});
  return {{"metrics", metrics},
          {"ncu_command", missing->ncu_command},
          {"full_collection_command", missing->full_collection_command},
          {"confidence_if_confirmed", missing->confidence_if_confirmed}};
}

}  // namespace

Json reconciliation_json(const report::ReconciledEvidence& evidence) {
  Json json{
      {"schema", "reconciliation_v1"},
      {"layers_available", {{"source", evidence.has_source}, {"ptx", evidence.has_ptx}, {"ncu", evidence.has_ncu}, {"profiler", false}}},
      {"diagnoses", Json::array()},
      {"unreconciled", Json::object()}};
  for (const ReconciledDiagnosis& one : evidence.diagnoses) {
    json["diagnoses"].push_back({{"label", one.diagnosis->id},
                                 {"display_name", one.diagnosis->display},
                                 {"confidence", one.confidence},
                                 {"severity", one.diagnosis->severity},
                                 {"layers_confirming", one.layers_confirming()},
                                 {"contradicted_by", one.contradicted_by},
                                 {"evidence", evidence_json(one)},
                                 {"fix_summary", one.diagnosis->fix},
                                 {"recommendation_ids", one.diagnosis->recommendations},
                                 {"missing_evidence", missing_json(one.missing)}});
  }
  const auto add = [&](std::string_view layer, const std::vector<std::string>& names) {
    if (!names.empty()) json["unreconciled"][std::string(layer)] = names;
  };
  add("source", evidence.unreconciled_source);
  add("ptx", evidence.unreconciled_ptx);
  add("ncu", evidence.unreconciled_ncu);
  return json;
}

}  // namespace frx::render
