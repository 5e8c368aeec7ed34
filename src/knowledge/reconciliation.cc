#include "knowledge/reconciliation.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

Result<std::vector<SettlingMetric>> metrics_of(const Value& map, const MetricCatalogue& metrics) {
  std::vector<SettlingMetric> all;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::optional<model::Metric> metric = metrics.with_id(map.key(i));
    if (!metric) return fail(ErrorKind::malformed, "'{}' is no metric", map.key(i)).at(map.where());
    all.push_back({*metric, map.value(i).text()});
  }
  return all;
}

Result<JointDiagnosis> diagnosis_of(const Value& entry, const MetricCatalogue& metrics) {
  JointDiagnosis diagnosis;
  diagnosis.id = entry["id"].text();
  diagnosis.display = entry["display"].text();
  diagnosis.severity = entry["severity"].text();
  diagnosis.fix = entry["fix"].text();
  if (diagnosis.id.empty() || diagnosis.display.empty() || diagnosis.severity.empty() || diagnosis.fix.empty())
    return fail(ErrorKind::malformed, "expected id, display, severity and fix").at(entry.where());
  diagnosis.source = entry["source"].texts();
  diagnosis.ptx = entry["ptx"].texts();
  diagnosis.ncu = entry["ncu"].texts();
  diagnosis.recommendations = entry["recommendations"].texts();
  TRY_ASSIGN(diagnosis.collect, metrics_of(entry["collect"], metrics));
  return diagnosis;
}

}  // namespace

Result<Reconciliation> Reconciliation::load(const Library& library, const MetricCatalogue& metrics) {
  const Value root = library.file("data/compare/reconciliation.yaml");
  Reconciliation loaded;
  TRY_ASSIGN(const Value steps, root.list("confidence"));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Value step = steps.item(i);
    const auto witnesses_for = step["for"].number(), witnesses = step["of"].number();
    if (!witnesses_for || !witnesses || step["is"].text().empty())
      return fail(ErrorKind::malformed, "expected for, of and is").at(step.where());
    loaded.ladder_.push_back({static_cast<int>(*witnesses_for), static_cast<int>(*witnesses), step["is"].text()});
  }
  TRY_ASSIGN(const Value entries, root.list("diagnoses"));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    TRY_ASSIGN(JointDiagnosis diagnosis, diagnosis_of(entries.item(i), metrics));
    loaded.diagnoses_.push_back(std::move(diagnosis));
  }
  return loaded;
}

std::string_view Reconciliation::confidence(int witnesses_for, int witnesses) const {
  const auto at =
      std::ranges::find_if(ladder_, [&](const Step& step) { return step.witnesses_for == witnesses_for && step.witnesses == witnesses; });
  return at == ladder_.end() ? std::string_view() : at->confidence;
}

}  // namespace frx::knowledge
