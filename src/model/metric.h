// The identity of a metric: a small number that indexes the catalogue.
//
// A metric is a definition (data/metrics: name, unit, meaning, spellings); a reading is one value of it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace frx::model {

struct Metric {
  std::uint16_t index = 0;
  constexpr auto operator<=>(const Metric&) const = default;
};

}  // namespace frx::model

template <>
struct std::hash<frx::model::Metric> {
  std::size_t operator()(frx::model::Metric metric) const noexcept { return metric.index; }
};
