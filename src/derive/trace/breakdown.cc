#include "derive/trace/breakdown.h"

#include <map>

#include "base/parallel.h"
#include "derive/trace/activities.h"
#include "derive/trace/gpu_steps.h"
#include "derive/trace/host_ranges.h"
#include "derive/trace/host_steps.h"
#include "derive/trace/shapes.h"

namespace frx::derive::trace {
namespace {

using model::HostTime;
using model::StepTable;
using model::Timeline;

// Of the first GPU: columns of the program have one value for each step.
void set_copies(StepTable& table) {
  if (table.gpus.empty()) return;
  std::vector<std::int64_t>& copies = table.host_ns[static_cast<std::size_t>(HostTime::host_to_device)];
  for (const model::GpuTime& step : table.gpus.front().steps) copies.push_back(step.all_host_to_device);
}

StepTable table_of(const Timeline& timeline, const Attribution& attribution, const Steps& steps, const HostRanges& host) {
  StepTable table;
  table.source = steps.source;
  table.name = steps.name;
  table.pid = steps.pid;
  add_host_columns(timeline, attribution, steps, host, table);
  ModelShapes shapes = model_shapes(timeline, steps, host.input);
  table.shapes = std::move(shapes.steps);
  table.last_shape_change = std::move(shapes.last_change);
  return table;
}

}  // namespace

std::vector<StepTable> break_down(const Timeline& timeline, const Attribution& attribution, const std::vector<Steps>& steps,
                                  bool with_figures) {
  const bool one_process = steps.size() == 1;
  Activities all = activities(timeline, attribution, one_process);
  const std::map<std::string, HostRanges> ranges = host_ranges(timeline);
  std::vector<StepTable> tables;
  for (const Steps& of_process : steps) {
    const auto found = ranges.find(one_process ? "" : of_process.pid);
    const HostRanges& host = found == ranges.end() ? ranges.at("") : found->second;
    StepTable table;
    std::vector<model::GpuSteps> gpus;
    const auto divide_program = [&] { table = table_of(timeline, attribution, of_process, host); };
    const auto divide_gpus = [&] {
      for (auto& [key, activity] : all) {
        if (!one_process && key.first != of_process.pid) continue;
        gpus.push_back(gpu_steps(timeline, attribution, key.second, std::move(activity), of_process, host, with_figures));
      }
    };
    do_in_parallel({divide_program, divide_gpus});
    table.gpus = std::move(gpus);
    set_copies(table);
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace frx::derive::trace
