// The readings of one launch group or of a whole kernel, each with its provenance.
//
// A missing reading was not measured: absent is never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/metric.h"

namespace frx::model {

enum class Origin : std::uint8_t {
  measured,  // stands in the file, at `line`
  derived,   // computed from other readings by a formula of the catalogue
  modelled,  // computed by our occupancy model from launch attributes
  device,    // a property of the GPU, from the file, the driver or data/gpus
};

struct Reading {
  double value = 0;  // in the unit of the metric
  Origin origin = Origin::measured;
  std::uint64_t line = 0;      // measured: line of the longest launch's value
  std::uint32_t launches = 0;  // how many launches it stands for; 0 when that has no meaning
  std::string_view how;        // derived: the formula; modelled and device: a source. Lives with the catalogue
};

// A profile holds tens of the catalogue's hundreds of metrics, and there is one of these per launch
// group: readings stand close together, a small number per metric says where.
class Readings {
 public:
  Readings() = default;
  explicit Readings(std::size_t metrics) : places_(metrics) {}

  // Valid until the next set().
  const Reading* find(Metric metric) const {
    return metric.index < places_.size() && places_[metric.index] ? &readings_[places_[metric.index] - 1u] : nullptr;
  }
  std::optional<double> value(Metric metric) const {
    const Reading* reading = find(metric);
    return reading ? std::optional(reading->value) : std::nullopt;
  }
  bool has(Metric metric) const { return find(metric) != nullptr; }
  // The first value stays: a measured value is never replaced by a computed one.
  void set(Metric metric, Reading reading) {
    if (metric.index >= places_.size()) places_.resize(metric.index + 1u);
    if (places_[metric.index]) return;
    readings_.push_back(reading);
    places_[metric.index] = static_cast<std::uint16_t>(readings_.size());
  }
  // One more than the largest metric that may be present.
  std::size_t size() const { return places_.size(); }

 private:
  std::vector<std::uint16_t> places_;  // by metric: 1 + index into readings_, or 0
  std::vector<Reading> readings_;
};

}  // namespace frx::model
