// What several layers of evidence may agree on: data/compare/reconciliation.yaml.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {

// A metric that would settle a diagnosis.
struct SettlingMetric {
  model::Metric metric;
  std::string_view why;
};

struct JointDiagnosis {
  std::string_view id, display, severity, fix;
  std::vector<std::string_view> source, ptx, ncu;  // rules and labels that speak for it
  std::vector<std::string_view> recommendations;
  std::vector<SettlingMetric> collect;
};

class Reconciliation {
 public:
  // Views point into the library. Fails, naming file and line, on what is no diagnosis or names an unknown metric.
  static Result<Reconciliation> load(const Library& library, const MetricCatalogue& metrics);

  const std::vector<JointDiagnosis>& diagnoses() const { return diagnoses_; }  // in the documented order
  // "medium", by how many witnesses speak for it, of those that say something. "" when none does.
  std::string_view confidence(int witnesses_for, int witnesses) const;

 private:
  struct Step {
    int witnesses_for, witnesses;
    std::string_view confidence;
  };
  std::vector<Step> ladder_;
  std::vector<JointDiagnosis> diagnoses_;
};

}  // namespace frx::knowledge
