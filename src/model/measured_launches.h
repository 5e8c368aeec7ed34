// Every launch of a profile by itself, in launch order, with the counters that were read for it: what is joined with the kernels of a
// timeline. Sessions fold equal launches together (model/session.h) and keep these only where a caller asks for them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interner.h"
#include "model/metric.h"

namespace frx::model {

struct MeasuredLaunch {
  std::uint32_t kernel = 0;            // of the names
  std::uint32_t mangled = 0xFFFFFFFF;  // of the names; 0xFFFFFFFF: the file does not say
  std::optional<std::array<std::uint32_t, 3>> grid, block;
  std::optional<int> device;
  std::optional<std::uint64_t> stream;
  std::uint32_t first_value = 0, value_count = 0;  // of `values`
};

struct MeasuredLaunches {
  static constexpr std::uint32_t no_name = 0xFFFFFFFF;

  struct Counter {
    Metric metric;
    std::string name;  // as the file has it where that is a name of Nsight Compute: "dram__bytes_op_read.sum"; else ""
  };
  struct Value {
    std::uint32_t counter = 0;
    double value = 0;  // in the unit of the metric
  };

  Interner names;
  std::vector<Counter> counters;  // by column of the session
  std::vector<MeasuredLaunch> launches;
  std::vector<Value> values;
  std::uint64_t summaries = 0;  // rows that stand for several launches, and are none by themselves

  std::optional<double> value_of(const MeasuredLaunch& launch, Metric metric) const {
    for (std::uint32_t i = 0; i < launch.value_count; ++i) {
      const Value& value = values[launch.first_value + i];
      if (counters[value.counter].metric == metric) return value.value;
    }
    return std::nullopt;
  }
};

}  // namespace frx::model
