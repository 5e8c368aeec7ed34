// What follows from what was observed: the readings of a launch group, completed by the formulas of
// the catalogue, the properties of the GPU and the occupancy model.
#pragma once

#include <string>
#include <vector>

#include "knowledge/metrics.h"
#include "model/readings.h"
#include "model/session.h"

namespace frx::derive {

// Readings of one group: each metric combined over its launches as the catalogue says.
model::Readings readings_of(const model::Session& session, const model::LaunchGroup& group,
                            const knowledge::MetricCatalogue& metrics);

// Launch shape that stands in the launch line rather than in a metric (grid size, threads per block).
void add_launch_shape(const model::LaunchGroup& group, model::Readings& readings);

// Computes what can be computed from what is there. Formulas may build on each other; every metric is
// tried once, depth first.
void add_derived(const knowledge::MetricCatalogue& metrics, model::Readings& readings);

}  // namespace frx::derive
