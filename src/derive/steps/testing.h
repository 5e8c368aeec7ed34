// Tables of steps for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "model/step_table.h"

namespace frx::derive::steps::testing {

using Times = std::vector<std::int64_t>;

// Steps 1, 2, ... of the program that ended well; nanoseconds.
inline model::StepTable steps_of(Times wall) {
  model::StepTable table;
  for (std::size_t i = 0; i < wall.size(); ++i) {
    table.ids.push_back(static_cast<std::int64_t>(i + 1));
    table.status.emplace_back("ok");
  }
  table.host_ns[static_cast<std::size_t>(model::HostTime::wall)] = std::move(wall);
  return table;
}

inline void set(model::StepTable& table, model::HostTime part, Times times) {
  table.host_ns[static_cast<std::size_t>(part)] = std::move(times);
}

inline void set_changes(model::StepTable& table, std::vector<std::optional<bool>> changed) {
  for (const std::optional<bool> one : changed) table.shapes.push_back({0, one, {}});
}

// Steps of a trace on one GPU that computed so long in each.
inline model::StepTable traced(Times wall, const Times& compute) {
  model::StepTable table = steps_of(std::move(wall));
  table.source = model::StepSource::profiler;
  table.status.clear();
  model::GpuSteps gpu{0, {}, {}, {}};
  for (std::size_t i = 0; i < compute.size(); ++i) {
    model::GpuTime time;
    time.span = table.wall_ns(i);
    time.compute = compute[i];
    time.idle = time.span - time.compute;
    time.idle_by[static_cast<std::size_t>(model::IdleCause::host)] = time.idle;
    gpu.steps.push_back(time);
  }
  table.gpus.push_back(std::move(gpu));
  return table;
}

}  // namespace frx::derive::steps::testing
