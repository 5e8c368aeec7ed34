// How the counters of kernels become those of an operator: data/operators/counters.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {

struct OperatorCounter {
  enum class How : std::uint8_t { sum, mean, max };

  std::string_view member;  // "total_dram_bytes_read", of profile.json
  std::vector<model::Metric> from;
  How how = How::mean;
  std::optional<model::Metric> weight;  // of a mean
};

struct OperatorCounters {
  std::vector<OperatorCounter> counters;
  std::vector<model::Metric> also;  // asked from ncu, besides

  // Everything that is asked from ncu, each once.
  std::vector<model::Metric> asked() const;
};

// A metric that is not in the catalogue is an error that names file and line.
Result<OperatorCounters> load_operator_counters(const Library& library, const MetricCatalogue& metrics);

}  // namespace frx::knowledge
