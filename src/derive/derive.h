// What follows from what was observed: the readings of a launch group, completed by the formulas of
// the catalogue, the properties of the GPU and the occupancy model.
#pragma once

#include <string>
#include <vector>

#include "knowledge/metrics.h"
#include "model/readings.h"
#include "model/session.h"

namespace frx::derive {

// Launches of one shape, or of several shapes or kernels together.
enum class Launches : std::uint8_t { equal, different };

// Readings of one group: each metric combined over its launches as the catalogue says.
model::Readings readings_of(const model::Session& session, const model::LaunchGroup& group, const knowledge::MetricCatalogue& catalogue,
                            Launches launches = Launches::equal);

// Launch shape that stands in the launch line rather than in a metric (grid size, threads per block).
void add_launch_shape(const model::LaunchGroup& group, model::Readings& readings);

// Computes what can be computed from what is there. Formulas may build on each other; which of them can
// ever give a value depends on the metrics a file holds, so the order is worked out once per file.
class Formulas {
 public:
  // `present`: the metrics that any launch of the file may have, before formulas.
  Formulas(const knowledge::MetricCatalogue& metrics, const std::vector<model::Metric>& present);

  void add_derived(model::Readings& readings) const;

 private:
  struct Step {
    model::Metric metric;
    const knowledge::Expression* formula;
    double scale;
  };
  std::vector<Step> steps_;  // operands before what is computed from them
};

// For one set of readings; tests and small callers.
void add_derived(const knowledge::MetricCatalogue& metrics, model::Readings& readings);

}  // namespace frx::derive
