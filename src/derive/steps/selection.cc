#include "derive/steps/selection.h"

#include <algorithm>

namespace frx::derive::steps {

std::vector<std::size_t> completed_rows(const model::StepTable& table, std::size_t skipped) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0, seen = 0; row < table.size(); ++row) {
    if (table.completed(row) && seen++ >= skipped) rows.push_back(row);
  }
  return rows;
}

std::size_t warm_up_steps(std::span<const model::StepTable> tables) {
  std::size_t most = 0;
  for (const model::StepTable& table : tables) most = std::max(most, completed_rows(table).size());
  return most >= steps_of_warm_up + least_steady_steps ? steps_of_warm_up : 0;
}

std::optional<StepTimes> step_times(const model::StepTable& table, std::size_t skipped) {
  StepTimes times;
  for (const std::size_t row : completed_rows(table, skipped)) {
    ++times.steps;
    times.wall_ns += static_cast<double>(table.wall_ns(row));
    times.total_ns += static_cast<double>(table.total_ns(row));
    times.longest_ns = std::max(times.longest_ns, table.wall_ns(row));
  }
  if (times.steps == 0) return std::nullopt;
  times.wall_ns /= static_cast<double>(times.steps);
  times.total_ns /= static_cast<double>(times.steps);
  return times;
}

std::vector<double> total_times(const model::StepTable& table, std::size_t skipped) {
  std::vector<double> times;
  for (const std::size_t row : completed_rows(table, skipped)) times.push_back(static_cast<double>(table.total_ns(row)));
  return times;
}

std::optional<double> common_batch(const model::StepTable& table, std::size_t skipped) {
  const std::vector<std::size_t> rows = completed_rows(table, skipped);
  if (rows.empty()) return std::nullopt;
  const std::optional<std::int64_t> batch = table.batch_size[rows.front()];
  const bool same = std::ranges::all_of(rows, [&](std::size_t row) { return table.batch_size[row] == batch; });
  return same && batch && *batch > 0 ? std::optional(static_cast<double>(*batch)) : std::nullopt;
}

}  // namespace frx::derive::steps
