// Diagnoses that several layers of evidence call by different names: data/reconciliation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"
#include "model/finding.h"

namespace frx::knowledge {

struct ReconciledDiagnosis {
  std::string_view id, display, fix;
  std::string_view severity;                                            // high, medium
  std::array<std::vector<std::string_view>, model::layer_count> signs;  // findings and labels that confirm it
  std::vector<model::Metric> counters;                                  // that would decide it
  std::vector<std::string_view> recommendations;
  std::array<std::vector<std::string_view>, model::layer_count>
      symptoms;  // signs of other diagnoses that it causes in a kernel it holds for

  bool is_confirmed_by(model::Layer layer, std::string_view sign) const;
  bool causes(model::Layer layer, std::string_view sign) const;
};

// In the order of docs/contract.md. Fails, naming file and line, on a sign of two diagnoses and on an unknown metric.
Result<std::vector<ReconciledDiagnosis>> load_reconciliation(const Library& library, const MetricCatalogue& metrics);

}  // namespace frx::knowledge
