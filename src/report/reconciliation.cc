#include "report/reconciliation.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "knowledge/presets.h"

namespace frx::report {
namespace {

using knowledge::JointDiagnosis;
using knowledge::MetricCatalogue;
using Names = std::set<std::string_view>;

// What each layer says, by rule or label.
struct Said {
  Names source, ptx, ncu;
  Names ruled_out;  // labels that hold for no kernel of the profile
};

Names codes_of(std::span<const model::CodeFinding> findings) {
  Names codes;
  for (const model::CodeFinding& finding : findings) codes.insert(finding.code);
  return codes;
}

// Labels that every kernel with data rules out.
Names ruled_out_in(const NcuReport& report) {
  std::optional<Names> everywhere;
  for (const Kernel& kernel : report.kernels) {
    if (!kernel.has_data) continue;
    const Names here(kernel.ruled_out.begin(), kernel.ruled_out.end());
    if (!everywhere) everywhere = here;
    std::erase_if(*everywhere, [&](std::string_view label) { return !here.contains(label); });
  }
  return everywhere.value_or(Names());
}

Said said_about(const Implementation& side) {
  Said said;
  if (side.has_source()) said.source = codes_of(side.cuda->findings);
  if (side.has_ptx()) said.ptx = codes_of(side.ptx->diagnosis.findings);
  if (!side.has_ncu()) return said;
  for (const Finding& finding : side.ncu->findings) {
    if (finding.kind != "state") said.ncu.insert(finding.label);
  }
  said.ruled_out = ruled_out_in(*side.ncu);
  return said;
}

std::vector<std::string_view> among(const std::vector<std::string_view>& wanted, const Names& said) {
  std::vector<std::string_view> found;
  for (const std::string_view name : wanted) {
    if (said.contains(name)) found.push_back(name);
  }
  return found;
}

// The narrow command, and the one that leaves nothing open.
void add_commands(std::string_view diagnosis, MissingEvidence& missing) {
  std::vector<std::string> counters;
  for (const MissingEvidence::Metric& metric : missing.metrics) counters.emplace_back(metric.counter);
  missing.ncu_command = fmt::format("ncu --metrics {} --csv ./your_app > missing_{}.csv", join(counters, ","), diagnosis);
  missing.full_collection_command = "ncu --set full --csv ./your_app > full.csv";
}

MissingEvidence missing_for(const JointDiagnosis& diagnosis, std::string_view confidence, const MetricCatalogue& metrics) {
  MissingEvidence missing;
  missing.confidence_if_confirmed = confidence;
  for (const knowledge::SettlingMetric& one : diagnosis.collect)
    missing.metrics.push_back({knowledge::counter_of(metrics[one.metric]), metrics[one.metric].label, one.why});
  add_commands(diagnosis.id, missing);
  return missing;
}

// Absent when no witness speaks for it.
std::optional<ReconciledDiagnosis> reconciled(const JointDiagnosis& diagnosis, const Said& said, const Implementation& side,
                                              const knowledge::Reconciliation& known, const MetricCatalogue& metrics) {
  ReconciledDiagnosis result;
  result.diagnosis = &diagnosis;
  result.source = among(diagnosis.source, said.source);
  result.ptx = among(diagnosis.ptx, said.ptx);
  result.ncu = among(diagnosis.ncu, said.ncu);
  const bool by_code = !result.source.empty() || !result.ptx.empty(), by_profile = !result.ncu.empty();
  if (!by_code && !by_profile) return {};
  const bool ruled_out = !by_profile && !diagnosis.ncu.empty() && among(diagnosis.ncu, said.ruled_out).size() == diagnosis.ncu.size();
  if (ruled_out) result.contradicted_by.emplace_back("ncu");
  const int witnesses_for = by_code + by_profile;
  result.confidence = known.confidence(witnesses_for, witnesses_for + ruled_out);
  for (const knowledge::SettlingMetric& one : diagnosis.collect) {
    const Value* value = side.has_ncu() ? side.ncu->value(metrics[one.metric].id) : nullptr;
    if (value) result.measured.emplace_back(value->id, value->value());
  }
  if (!by_profile && !ruled_out && !diagnosis.collect.empty())
    result.missing = missing_for(diagnosis, known.confidence(witnesses_for + 1, witnesses_for + 1), metrics);
  return result;
}

std::vector<std::string> left_over(const Names& said, const std::vector<ReconciledDiagnosis>& diagnoses,
                                   std::vector<std::string_view> ReconciledDiagnosis::*layer) {
  Names left = said;
  for (const ReconciledDiagnosis& one : diagnoses) {
    for (const std::string_view name : one.*layer) left.erase(name);
  }
  return {left.begin(), left.end()};
}

}  // namespace

std::vector<std::string_view> ReconciledDiagnosis::layers_confirming() const {
  std::vector<std::string_view> layers;
  if (!source.empty()) layers.emplace_back("source");
  if (!ptx.empty()) layers.emplace_back("ptx");
  if (!ncu.empty()) layers.emplace_back("ncu");
  return layers;
}

ReconciledEvidence reconcile(const Implementation& side, const knowledge::Reconciliation& known,
                             const knowledge::MetricCatalogue& metrics) {
  const Said said = said_about(side);
  ReconciledEvidence result;
  result.has_source = side.has_source();
  result.has_ptx = side.has_ptx();
  result.has_ncu = side.has_ncu();
  for (const JointDiagnosis& diagnosis : known.diagnoses()) {
    if (auto one = reconciled(diagnosis, said, side, known, metrics)) result.diagnoses.push_back(std::move(*one));
  }
  result.unreconciled_source = left_over(said.source, result.diagnoses, &ReconciledDiagnosis::source);
  result.unreconciled_ptx = left_over(said.ptx, result.diagnoses, &ReconciledDiagnosis::ptx);
  result.unreconciled_ncu = left_over(said.ncu, result.diagnoses, &ReconciledDiagnosis::ncu);
  return result;
}

}  // namespace frx::report
