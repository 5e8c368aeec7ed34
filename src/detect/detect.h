// Evaluates every label for one set of readings.
//
// A label fires, is clear, or is inconclusive because a value it needs was not measured. Inconclusive is a result: the report lists the
// missing values and the command that collects them.
#pragma once

#include <cstdint>
#include <vector>

#include "knowledge/labels.h"
#include "knowledge/metrics.h"
#include "model/finding.h"
#include "model/readings.h"

namespace frx::detect {

// What is known about the launches besides their readings: KernelClasses::of the kernel's name, and the thresholds of the labels with the
// user's own laid over them.
struct Launches {
  const model::Readings& readings;
  std::uint64_t kernel_class = 0;
  const knowledge::Thresholds& thresholds;
};

// The labels that hold, in the order of the catalogue.
std::vector<model::Finding> firing(const knowledge::LabelCatalogue& labels, const knowledge::MetricCatalogue& metrics,
                                   const Launches& launches);
// One finding for each label that has a condition, in the order of the catalogue. Of an inconclusive one, `missing` names the counters.
std::vector<model::Finding> examine(const knowledge::LabelCatalogue& labels, const knowledge::MetricCatalogue& metrics,
                                    const Launches& launches);

}  // namespace frx::detect
