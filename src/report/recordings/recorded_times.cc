#include "report/recordings/recorded_times.h"

#include <algorithm>
#include <set>

#include "derive/trace/name_times.h"
#include "frx_generated/metric_ids.h"
#include "ingest/nsys_stats/rows.h"

namespace frx::report {
namespace {

using model::EventKind;
using model::NameTimes;
using model::RecordedWork;

void add_notes(const std::vector<model::Note>& notes, RecordedTimes& times) {
  for (const model::Note& note : notes) {
    if (note.text.starts_with(ingest::nsys_stats::unused_tables_note)) continue;  // here they are used
    times.notes.push_back(note.line > 0 ? fmt::format("line {}: {}", note.line, note.text) : note.text);
  }
}

std::vector<std::string> gpus_of(const model::Timeline& timeline) {
  std::set<std::int32_t> used;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (timeline.kind[i] == EventKind::kernel) used.insert(timeline.tracks[timeline.track[i]].device);
  }
  std::vector<std::string> names;
  for (const model::TracedGpu& gpu : timeline.facts.gpus) {
    if (used.contains(gpu.id) && std::ranges::find(names, gpu.name) == names.end()) names.push_back(gpu.name);
  }
  return names;
}

// What an export was not asked to record has no rows in it.
std::optional<std::vector<NameTimes>> unless_none(std::vector<NameTimes> rows) {
  return rows.empty() ? std::nullopt : std::optional(std::move(rows));
}

// Of launches that were read one by one.
std::vector<NameTimes> kernels_of_launches(const model::Session& session) {
  const std::optional<std::size_t> column = session.column_of(metrics::kernel_duration);
  std::vector<NameTimes> rows;
  for (const model::Kernel& kernel : session.kernels) {
    NameTimes row{kernel.name, kernel.launches(), {}, {}, {}, {}};
    for (const model::LaunchGroup& group : kernel.groups) {
      if (!column || *column >= group.spreads.size() || group.spreads[*column].count == 0) continue;
      const model::Spread& spread = group.spreads[*column];
      row.total_ns = row.total_ns.value_or(0) + spread.sum;
      row.shortest_ns = std::min(row.shortest_ns.value_or(spread.min), spread.min);
      row.longest_ns = std::max(row.longest_ns.value_or(spread.max), spread.max);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void append(std::optional<std::vector<NameTimes>>& to, const std::vector<NameTimes>& rows) {
  if (!to) to.emplace();
  to->insert(to->end(), rows.begin(), rows.end());
}

// A table of its own has the sizes of copies.
void add_sizes(const model::Session& session, std::vector<NameTimes>& rows) {
  for (const model::TimeTable& table : session.time_tables) {
    if (table.work != RecordedWork::memory_sizes) continue;
    for (NameTimes& row : rows) {
      const auto size = std::ranges::find(table.rows, row.name, &NameTimes::name);
      if (size != table.rows.end() && !row.bytes) row.bytes = size->bytes;
    }
  }
}

void sort_by_time(std::vector<NameTimes>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const NameTimes& row) { return row.total_ns.value_or(-1); });
}

}  // namespace

RecordedTimes recorded_times_of(const model::Timeline& timeline) {
  RecordedTimes times;
  times.source = timeline.source;
  times.format = "Nsight Systems export";
  times.gpus = gpus_of(timeline);
  times.kernels = derive::trace::times_by_name(timeline, {EventKind::kernel});
  times.memory = unless_none(derive::trace::times_by_name(timeline, {EventKind::memcpy, EventKind::memset}));
  times.cuda_calls = unless_none(derive::trace::times_by_name(timeline, {EventKind::runtime, EventKind::driver}));
  times.os_calls = unless_none(derive::trace::times_by_name(timeline, {EventKind::os_call}));
  add_notes(timeline.notes, times);
  return times;
}

RecordedTimes recorded_times_of(const model::Session& session) {
  RecordedTimes times;
  times.source = session.source;
  times.format = session.format;
  for (const auto& [id, device] : session.devices) {
    if (!device.name.empty() && std::ranges::find(times.gpus, device.name) == times.gpus.end()) times.gpus.push_back(device.name);
  }
  bool has_summary = false;
  for (const model::TimeTable& table : session.time_tables) {
    if (table.work == RecordedWork::kernels) times.kernels.insert(times.kernels.end(), table.rows.begin(), table.rows.end());
    if (table.work == RecordedWork::memory) append(times.memory, table.rows);
    if (table.work == RecordedWork::cuda_calls) append(times.cuda_calls, table.rows);
    if (table.work == RecordedWork::os_calls) append(times.os_calls, table.rows);
    has_summary |= table.work == RecordedWork::kernels;
  }
  if (!has_summary) times.kernels = kernels_of_launches(session);
  sort_by_time(times.kernels);
  if (times.memory) add_sizes(session, *times.memory);
  add_notes(session.notes, times);
  return times;
}

std::optional<double> total_ns_of(const std::vector<NameTimes>& rows) {
  std::optional<double> total;
  for (const NameTimes& row : rows) {
    if (row.total_ns) total = total.value_or(0) + *row.total_ns;
  }
  return total;
}

}  // namespace frx::report
