#include "ingest/run_events/step_rows.h"

#include <algorithm>

namespace frx::ingest {
namespace {

using model::HostTime;
using model::StepTable;

void add_times(const StepRows& steps, StepTable& table) {
  const auto add = [&](HostTime part, bool recorded, std::int64_t StepRow::*ns) {
    if (!recorded) return;
    std::vector<std::int64_t>& column = table.host_ns[static_cast<std::size_t>(part)];
    column.reserve(steps.rows.size());
    for (const StepRow& row : steps.rows) column.push_back(row.*ns);
  };
  const auto any = [&](std::int64_t StepRow::*ns) {
    return std::ranges::any_of(steps.rows, [&](const StepRow& row) { return row.*ns > 0; });
  };
  add(HostTime::wall, true, &StepRow::wall_ns);
  add(HostTime::loader, steps.has_loader, &StepRow::loader_ns);
  add(HostTime::loader_before, steps.has_loader, &StepRow::loader_before_ns);
  add(HostTime::host_to_device, steps.has_copies, &StepRow::host_to_device_ns);
  add(HostTime::sync, steps.has_waits, &StepRow::sync_ns);
  add(HostTime::forward, any(&StepRow::forward_ns), &StepRow::forward_ns);
  add(HostTime::backward, any(&StepRow::backward_ns), &StepRow::backward_ns);
  add(HostTime::optimizer, any(&StepRow::optimizer_ns), &StepRow::optimizer_ns);
}

void add_row(StepRow row, StepTable& table) {
  const std::size_t step = table.size();
  table.ids.push_back(row.id);
  table.status.push_back(std::move(row.status));
  table.kind.push_back(std::move(row.kind));
  table.begin_ns.set(step, row.begin_ns);
  table.end_ns.set(step, row.end_ns);
  table.shape.set(step, std::move(row.shape));
  table.batch_size.set(step, row.batch_size);
  table.sequence_length.set(step, row.sequence_length);
  if (row.windows > 0) table.windows.set(step, row.windows);
  table.kernels.set(step, row.kernels);
  table.median_kernel_ns.set(step, row.median_kernel_ns);
  table.small_kernels.set(step, row.small_kernels);
  table.loss.set(step, row.loss);
}

void compare_shapes(StepTable& table) {
  if (!table.shape.recorded()) return;
  table.shapes.resize(table.size());
  std::optional<std::string> last;
  for (std::size_t step = 0; step < table.size(); ++step) {
    std::optional<std::string> shape = table.shape[step];
    if (!shape) continue;
    table.shapes[step].changed = last && *last != *shape;
    last = std::move(shape);
  }
}

}  // namespace

StepTable table_of(StepRows steps) {
  std::ranges::stable_sort(steps.rows, {}, &StepRow::id);
  StepTable table;
  add_times(steps, table);
  for (StepRow& row : steps.rows) add_row(std::move(row), table);
  compare_shapes(table);
  return table;
}

}  // namespace frx::ingest
