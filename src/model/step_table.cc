#include "model/step_table.h"

namespace frx::model {

std::string_view name_of(StepSource source) {
  switch (source) {
    case StepSource::program: return "program";
    case StepSource::profiler: return "profiler";
    case StepSource::annotation: return "annotation";
    case StepSource::module: return "module";
    case StepSource::recording: return "none";
  }
  return "none";
}

std::optional<std::int64_t> StepTable::time(HostTime part, std::size_t step) const {
  const std::vector<std::int64_t>& column = host_ns[static_cast<std::size_t>(part)];
  return column.empty() ? std::nullopt : std::optional(column[step]);
}

std::optional<std::int64_t> StepTable::loader_wait_ns(std::size_t step) const {
  const std::optional<std::int64_t> within = time(HostTime::loader, step), before = time(HostTime::loader_before, step);
  if (!within && !before) return std::nullopt;
  return within.value_or(0) + before.value_or(0);
}

std::int64_t StepTable::phases_ns(std::size_t step) const {
  std::int64_t sum = 0;
  for (const HostTime phase : {HostTime::forward, HostTime::backward, HostTime::optimizer}) sum += time(phase, step).value_or(0);
  return sum;
}

}  // namespace frx::model
