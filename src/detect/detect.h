// Evaluates every label for one set of readings.
//
// A label fires, is clear, or is inconclusive because a value it needs was not measured. Inconclusive is a result: the report lists the
// missing values and the command that collects them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "knowledge/labels.h"
#include "knowledge/metrics.h"
#include "model/readings.h"

namespace frx::detect {

struct Evidence {
  model::Metric metric;
  model::Reading reading;
  std::string_view because;
};

struct Fires {
  double score = 0;                     // 0 to 1: how much of the time it explains
  std::optional<double> time_at_stake;  // ns, upper bound; unknown without a duration
  std::vector<Evidence> evidence;
};
struct Clear {};
struct CannotTell {
  std::vector<model::Metric> missing;
};

struct Verdict {
  const knowledge::Label* label = nullptr;
  std::variant<Fires, Clear, CannotTell> answer;

  const Fires* fires() const { return std::get_if<Fires>(&answer); }
};

// One verdict per label that has a condition, in their order. `kernel_class` is KernelClasses::of the kernel's name; `thresholds` are
// those of the labels with the user's own laid over them.
std::vector<Verdict> examine(const knowledge::LabelCatalogue& labels, const knowledge::MetricCatalogue& metrics,
                             const model::Readings& readings, std::uint64_t kernel_class, const knowledge::Thresholds& thresholds);

}  // namespace frx::detect
