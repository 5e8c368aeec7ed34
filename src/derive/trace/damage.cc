#include "derive/trace/damage.h"

#include <algorithm>

#include "derive/trace/judged_names.h"
#include "derive/trace/launches.h"
#include "derive/trace/processes.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::int64_t a_day_ns = 86'400'000'000'000;

std::int64_t time_apart(const Timeline& timeline) {
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::window || timeline.kind[row] == EventKind::other) continue;
    first = std::min(first, timeline.start[row]);
    last = std::max(last, timeline.start[row]);
  }
  if (first >= last) return 0;
  // They may lie anywhere in 64 bits.
  const std::uint64_t apart = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  return apart > static_cast<std::uint64_t>(a_day_ns) ? static_cast<std::int64_t>(std::min<std::uint64_t>(apart, INT64_MAX)) : 0;
}

bool is_same(const Timeline& timeline, std::uint32_t a, std::uint32_t b) {
  return timeline.duration[a] == timeline.duration[b] && timeline.name[a] == timeline.name[b] && timeline.track[a] == timeline.track[b] &&
         timeline.correlation[a] == timeline.correlation[b];
}

void look_at_work(const Timeline& timeline, const Attribution& attribution, Damage& damage) {
  for (std::size_t i = 0; i < attribution.work.size(); ++i) {
    const GpuWork& one = attribution.work[i];
    const std::int64_t start = timeline.start[one.event];
    if (one.launch != none && is_late(timeline, one.launch, one.event)) {
      ++damage.early_work;
      damage.earliest_ns = std::max(damage.earliest_ns, timeline.start[one.launch] - start);
    }
    // Work that begins at one time is side by side; many streams do, so only the next few are compared.
    for (std::size_t other = i + 1; other < std::min(i + 9, attribution.work.size()); ++other) {
      const std::uint32_t event = attribution.work[other].event;
      if (timeline.start[event] != start) break;
      if (!is_same(timeline, one.event, event)) continue;
      ++damage.doubled_work;
      break;
    }
  }
}

void look_at_launches(const Timeline& timeline, Damage& damage) {
  std::vector<std::uint64_t> calls;  // number of the process, correlation
  const std::vector<std::uint32_t> process_of_track = processes_of_tracks(timeline);
  JudgedNames launches(timeline, [](std::string_view name) { return name.find("LaunchKernel") != name.npos; });
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::runtime || timeline.correlation[row] == Timeline::no_id) continue;
    if (launches.holds_for(row)) calls.push_back(std::uint64_t{process_of_track[timeline.track[row]]} << 32 | timeline.correlation[row]);
  }
  damage.launches = calls.size();
  if (!std::ranges::is_sorted(calls)) std::ranges::sort(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool as_before = i > 0 && calls[i - 1] == calls[i], as_next = i + 1 < calls.size() && calls[i + 1] == calls[i];
    damage.same_launches += as_before || as_next ? 1 : 0;
  }
}

}  // namespace

Damage damage_of(const Timeline& timeline, const Attribution& attribution) {
  Damage damage;
  damage.apart_ns = time_apart(timeline);
  look_at_work(timeline, attribution, damage);
  look_at_launches(timeline, damage);
  return damage;
}

}  // namespace frx::derive::trace
