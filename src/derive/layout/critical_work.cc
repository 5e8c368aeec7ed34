#include "derive/layout/critical_work.h"

#include <algorithm>
#include <utility>

#include "derive/trace/host_ranges.h"
#include "derive/trace/judged_names.h"

namespace frx::derive::layout {
namespace {

using model::EventKind;
using model::Timeline;

// Times at which the program waits for the GPU: is one of its calls for that open?
class Waits {
 public:
  explicit Waits(const LayoutTrace& trace) {
    const Timeline& timeline = trace.timeline();
    derive::trace::JudgedNames names(timeline, derive::trace::waits_for_gpu);
    for (std::uint32_t row = 0; row < timeline.size(); ++row) {
      if (timeline.kind[row] != EventKind::runtime && timeline.kind[row] != EventKind::driver) continue;
      if (names.holds_for(row) && trace.is_of_process(row)) waits_.emplace_back(timeline.start[row], timeline.end(row));
    }
    std::ranges::sort(waits_);
    for (std::size_t i = 1; i < waits_.size(); ++i) waits_[i].second = std::max(waits_[i].second, waits_[i - 1].second);
  }

  bool hold_at(std::int64_t time) const {
    const auto after = std::ranges::lower_bound(waits_, time, {}, &std::pair<std::int64_t, std::int64_t>::first);
    return after != waits_.begin() && std::prev(after)->second >= time;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> waits_;  // by begin; the end is the latest of those up to here
};

// The pieces of work of the process, by start; nothing where they are of several GPUs, or no launch of any was recorded.
std::optional<std::vector<std::uint32_t>> work_of_one_gpu(const LayoutTrace& trace) {
  const Timeline& timeline = trace.timeline();
  std::vector<std::uint32_t> pieces;
  std::optional<std::int32_t> device;
  bool has_launches = false;
  for (std::uint32_t i = 0; i < trace.attribution().work.size(); ++i) {
    const derive::trace::GpuWork& work = trace.attribution().work[i];
    if (!trace.is_of_process(work.event)) continue;
    const std::int32_t its_device = timeline.tracks[timeline.track[work.event]].device;
    if (device.value_or(its_device) != its_device) return std::nullopt;
    device = its_device;
    has_launches = has_launches || work.launch != none;
    pieces.push_back(i);
  }
  return has_launches ? std::optional(std::move(pieces)) : std::nullopt;
}

// The time of each piece during which it ran alone; of pieces that overlap, directly or by others between them.
void add_times_alone(const LayoutTrace& trace, std::span<const std::uint32_t> pieces, std::vector<bool>& is_open,
                     std::vector<double>& alone_ns) {
  const Timeline& timeline = trace.timeline();
  if (pieces.size() == 1) {
    alone_ns[pieces[0]] = static_cast<double>(trace.duration(pieces[0]));
    return;
  }
  std::vector<std::pair<std::int64_t, std::uint32_t>> changes;  // a piece begins, or ends
  for (const std::uint32_t work : pieces) {
    const std::uint32_t event = trace.attribution().work[work].event;
    changes.emplace_back(timeline.start[event], work);
    changes.emplace_back(timeline.end(event), work);
  }
  std::ranges::sort(changes);
  // Numbers of the open pieces, each of them added twice, cancel out in an exclusive or: with one open, its number is left.
  std::uint32_t open = 0, numbers = 0;
  std::int64_t before = 0;
  for (const auto& [time, work] : changes) {
    if (open == 1) alone_ns[numbers] += static_cast<double>(time - before);
    open = is_open[work] ? open - 1 : open + 1;
    is_open[work] = !is_open[work];
    numbers ^= work;
    before = time;
  }
}

// Of all pieces, by start.
void add_all_times_alone(const LayoutTrace& trace, const std::vector<std::uint32_t>& pieces, std::vector<double>& alone_ns) {
  const Timeline& timeline = trace.timeline();
  std::vector<bool> is_open(alone_ns.size());  // all false between clusters
  std::int64_t reach = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::uint32_t event = trace.attribution().work[pieces[i]].event;
    if (i > begin && timeline.start[event] >= reach) {
      add_times_alone(trace, std::span(pieces).subspan(begin, i - begin), is_open, alone_ns);
      begin = i;
    }
    reach = i == begin ? timeline.end(event) : std::max(reach, timeline.end(event));
  }
  if (begin < pieces.size()) add_times_alone(trace, std::span(pieces).subspan(begin), is_open, alone_ns);
}

}  // namespace

std::optional<CriticalWork> CriticalWork::of(const LayoutTrace& trace) {
  const std::optional<std::vector<std::uint32_t>> pieces = work_of_one_gpu(trace);
  return pieces ? std::optional(CriticalWork(trace, *pieces)) : std::nullopt;
}

CriticalWork::CriticalWork(const LayoutTrace& trace, const std::vector<std::uint32_t>& pieces)
    : trace_(trace), waited_ns_(trace.attribution().work.size()) {
  const Timeline& timeline = trace.timeline();
  const Waits waits(trace);
  add_all_times_alone(trace, pieces, waited_ns_);
  const auto event_of = [&](std::uint32_t work) { return trace.attribution().work[work].event; };
  const auto start_of = [&](std::uint32_t work) { return timeline.start[event_of(work)]; };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::int64_t end = timeline.end(event_of(pieces[i]));
    // Nearly always the one after it.
    auto next = pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (next != pieces.end() && start_of(*next) < end) next = std::ranges::lower_bound(next, pieces.end(), end, {}, start_of);
    const std::uint32_t launch = next == pieces.end() ? none : trace.attribution().work[*next].launch;
    const bool is_queued = launch != none && timeline.start[launch] < end;
    if (!is_queued && !waits.hold_at(end)) waited_ns_[pieces[i]] = 0;
  }
}

double CriticalWork::share_of(std::span<const std::uint32_t> work) const {
  double waited = 0, all = 0;
  for (const std::uint32_t one : work) {
    waited += waited_ns_[one];
    all += static_cast<double>(trace_.duration(one));
  }
  return all > 0 ? waited / all : 0;
}

}  // namespace frx::derive::layout
