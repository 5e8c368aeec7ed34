#include "report/trace_report.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "derive/steps/selection.h"

namespace frx::report {

std::size_t TraceReport::step_count() const {
  std::size_t most = 0;
  for (const model::StepTable& process : processes) most = std::max(most, process.size());
  return has_step_boundaries() ? most : 0;
}

bool TraceReport::has_step_boundaries() const { return !processes.empty() && processes.front().has_boundaries(); }

std::optional<double> TraceReport::step_time_ns(std::size_t skipped) const {
  if (processes.empty()) return std::nullopt;
  const std::optional<StepTimes> times = derive::steps::step_times(processes.front(), skipped);
  return times ? std::optional(times->wall_ns) : std::nullopt;
}

std::optional<std::int64_t> TraceReport::step_time_in_program_ns() const {
  if (processes.empty() || processes.front().program_ns.empty()) return std::nullopt;
  const model::StepTable& steps = processes.front();
  std::int64_t sum = 0, count = 0;
  for (const std::size_t row : derive::steps::completed_rows(steps, scope().skipped)) {
    sum += steps.program_ns[row];
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::string TraceReport::gpu_names() const {
  std::map<std::string, int> used;
  for (const GpuVerdict& gpu : gpus) {
    const auto known = std::ranges::find(facts.gpus, gpu.device, &model::TracedGpu::id);
    if (known != facts.gpus.end() && !known->name.empty()) ++used[known->name];
  }
  std::vector<std::string> words;
  for (const auto& [name, count] : used) words.push_back(count > 1 ? fmt::format("{} x {}", count, printable(name)) : printable(name));
  return join(words, ", ");
}

}  // namespace frx::report
