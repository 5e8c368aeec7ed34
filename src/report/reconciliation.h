// What the layers of evidence about one implementation agree on, and what would settle the rest.
//
// Source and the PTX that was compiled from it are one witness, a profile is another. A layer that says nothing is no
// witness; a profile that rules a cause out speaks against it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/reconciliation.h"
#include "report/implementation.h"

namespace frx::report {

// Measurements that would make a diagnosis surer.
struct MissingEvidence {
  struct Metric {
    std::string_view counter, label, why;
  };
  std::vector<Metric> metrics;
  std::string ncu_command, full_collection_command;
  std::string_view confidence_if_confirmed;
};

struct ReconciledDiagnosis {
  const knowledge::JointDiagnosis* diagnosis = nullptr;
  std::string_view confidence;
  std::vector<std::string_view> source, ptx, ncu;             // rules and labels that speak for it
  std::vector<std::string_view> contradicted_by;              // layers that speak against it: "ncu"
  std::vector<std::pair<std::string_view, double>> measured;  // of the metrics that settle it, by id
  std::optional<MissingEvidence> missing;                     // absent when nothing is missing

  std::vector<std::string_view> layers_confirming() const;
};

struct ReconciledEvidence {
  bool has_source = false, has_ptx = false, has_ncu = false;
  std::vector<ReconciledDiagnosis> diagnoses;  // in the documented order
  // Findings and labels that no diagnosis above accounts for, sorted, each once.
  std::vector<std::string> unreconciled_source, unreconciled_ptx, unreconciled_ncu;
};

// The catalogues outlive the result.
ReconciledEvidence reconcile(const Implementation& side, const knowledge::Reconciliation& known, const knowledge::MetricCatalogue& metrics);

}  // namespace frx::report
