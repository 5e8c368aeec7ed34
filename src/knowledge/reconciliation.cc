#include "knowledge/reconciliation.h"

#include <algorithm>
#include <set>

namespace frx::knowledge {
namespace {

using model::Layer;
using model::layer_count;

using Signs = std::set<std::pair<std::size_t, std::string_view>>;  // layer, sign

Result<> read_signs(const Value& entry, ReconciledDiagnosis& diagnosis, Signs& taken) {
  for (std::size_t layer = 0; layer < layer_count; ++layer) {
    const Value signs = entry[name_of(static_cast<Layer>(layer))];
    for (std::size_t i = 0; i < signs.size(); ++i) {
      const std::string_view sign = signs.item(i).text();
      if (!taken.emplace(layer, sign).second)
        return fail(ErrorKind::malformed, "'{}' is a sign of two diagnoses", sign).at(signs.item(i).where());
      diagnosis.signs[layer].push_back(sign);
    }
  }
  return {};
}

std::vector<std::string_view> texts_of(const Value& list) {
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < list.size(); ++i) texts.push_back(list.item(i).text());
  return texts;
}

Result<ReconciledDiagnosis> diagnosis_of(const Value& entry, const MetricCatalogue& metrics, Signs& taken) {
  ReconciledDiagnosis diagnosis;
  diagnosis.id = entry["id"].text();
  diagnosis.display = entry["display"].text();
  diagnosis.severity = entry["severity"].text();
  diagnosis.fix = entry["fix"].text();
  if (diagnosis.id.empty() || diagnosis.display.empty() || diagnosis.fix.empty())
    return fail(ErrorKind::malformed, "expected id, display and fix").at(entry.where());
  if (diagnosis.severity != "high" && diagnosis.severity != "medium")
    return fail(ErrorKind::malformed, "expected high or medium as severity").at(entry.where());
  TRY(read_signs(entry, diagnosis, taken));
  for (std::size_t layer = 0; layer < layer_count; ++layer)
    diagnosis.symptoms[layer] = texts_of(entry["causes"][name_of(static_cast<Layer>(layer))]);
  const Value counters = entry["counters"];
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::optional<model::Metric> metric = metrics.with_id(counters.item(i).text());
    if (!metric) return fail(ErrorKind::malformed, "no metric is called '{}'", counters.item(i).text()).at(counters.item(i).where());
    diagnosis.counters.push_back(*metric);
  }
  diagnosis.recommendations = texts_of(entry["recommendations"]);
  return diagnosis;
}

}  // namespace

bool ReconciledDiagnosis::is_confirmed_by(Layer layer, std::string_view sign) const {
  return std::ranges::find(signs[static_cast<std::size_t>(layer)], sign) != signs[static_cast<std::size_t>(layer)].end();
}

bool ReconciledDiagnosis::causes(model::Layer layer, std::string_view sign) const {
  return std::ranges::find(symptoms[static_cast<std::size_t>(layer)], sign) != symptoms[static_cast<std::size_t>(layer)].end();
}

Result<std::vector<ReconciledDiagnosis>> load_reconciliation(const Library& library, const MetricCatalogue& metrics) {
  std::vector<ReconciledDiagnosis> all;
  Signs taken;
  TRY_ASSIGN(const Value entries, library.file("data/reconciliation/diagnoses.yaml").list("diagnoses"));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    TRY_ASSIGN(ReconciledDiagnosis diagnosis, diagnosis_of(entries.item(i), metrics, taken));
    all.push_back(std::move(diagnosis));
  }
  return all;
}

}  // namespace frx::knowledge
