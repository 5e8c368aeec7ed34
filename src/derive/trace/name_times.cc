#include "derive/trace/name_times.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace frx::derive::trace {
namespace {

using model::NameTimes;
using model::Timeline;

void add(NameTimes& row, std::int64_t duration) {
  const auto ns = static_cast<double>(duration);
  row.calls += 1;
  row.total_ns = row.total_ns.value_or(0) + ns;
  row.shortest_ns = std::min(row.shortest_ns.value_or(ns), ns);
  row.longest_ns = std::max(row.longest_ns.value_or(ns), ns);
}

// Rows of copies are ascending, as events are visited.
void add_bytes(const Timeline& timeline, std::unordered_map<std::uint32_t, NameTimes>& rows) {
  for (std::size_t i = 0; i < timeline.copy_events.size(); ++i) {
    const auto row = rows.find(timeline.name[timeline.copy_events[i]]);
    if (row != rows.end()) row->second.bytes = row->second.bytes.value_or(0) + timeline.copy_bytes[i];
  }
}

}  // namespace

std::vector<NameTimes> times_by_name(const Timeline& timeline, std::initializer_list<model::EventKind> kinds) {
  std::unordered_map<std::uint32_t, NameTimes> rows;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (std::ranges::find(kinds, timeline.kind[i]) != kinds.end()) add(rows[timeline.name[i]], timeline.duration[i]);
  }
  add_bytes(timeline, rows);
  std::vector<NameTimes> all;
  all.reserve(rows.size());
  for (auto& [name, row] : rows) {
    row.name = timeline.names[name];
    all.push_back(std::move(row));
  }
  std::ranges::sort(
      all, [](const NameTimes& a, const NameTimes& b) { return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name < b.name; });
  return all;
}

}  // namespace frx::derive::trace
