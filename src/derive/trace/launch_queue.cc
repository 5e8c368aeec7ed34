#include "derive/trace/launch_queue.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "derive/trace/counts.h"

namespace frx::derive::trace {
namespace {

using model::Timeline;

struct Waits {
  std::vector<std::int64_t> launched, begun;
};

// The time at each length of the queue, by length.
std::vector<std::int64_t> time_at_length(Waits& waits) {
  if (!std::ranges::is_sorted(waits.launched)) std::ranges::sort(waits.launched);
  if (!std::ranges::is_sorted(waits.begun)) std::ranges::sort(waits.begun);
  std::vector<std::int64_t> time(1);
  std::size_t length = 0, next = 0;
  std::int64_t now = waits.launched.front();
  for (const std::int64_t begun : waits.begun) {
    // A launch at the moment in which another begins comes first, so that none begins before its launch.
    while (next < waits.launched.size() && waits.launched[next] <= begun) {
      time[length] += waits.launched[next] - now;
      now = waits.launched[next++];
      if (++length == time.size()) time.push_back(0);
    }
    time[length] += begun - now;
    now = begun;
    --length;
  }
  return time;
}

// Which work of a call begins first, on each device: copies between two GPUs are work of both.
class FirstWork {
 public:
  explicit FirstWork(const Timeline& timeline) : device_(timeline.size(), none_yet) {}

  // Asked for in the order in which work begins.
  bool is_first(std::uint32_t launch, std::int32_t device) {
    if (device_[launch] == device) return false;
    if (device_[launch] != none_yet) return others_.emplace(launch, device).second;
    device_[launch] = device;
    return true;
  }

 private:
  static constexpr std::int32_t none_yet = INT32_MIN;
  std::vector<std::int32_t> device_;                         // by row of the call, the first one
  std::set<std::pair<std::uint32_t, std::int32_t>> others_;  // further ones
};

LaunchQueue queue_of(std::int32_t device, Waits& waits) {
  LaunchQueue queue{device, 0, 0, 0, 0, waits.launched.size()};
  const std::vector<std::int64_t> time = time_at_length(waits);
  for (const std::int64_t one : time) queue.span_ns += one;
  queue.empty_ns = time.front();
  std::int64_t below = 0;
  while (queue.median + 1 < time.size() && (below + time[queue.median]) * 2 < queue.span_ns) below += time[queue.median++];
  for (std::size_t length = 0; length < time.size(); ++length) {
    if (time[length] > 0) queue.longest = length;
  }
  return queue;
}

}  // namespace

std::vector<LaunchQueue> launch_queues(const Timeline& timeline, const Attribution& attribution, std::int64_t rank) {
  std::map<std::int32_t, Waits> by_device;
  FirstWork first(timeline);
  Waits* waits = nullptr;
  std::uint32_t track = Timeline::no_id;
  for (const GpuWork& one : attribution.work) {
    if (one.launch == none || !is_of_rank(timeline, one.event, rank)) continue;
    if (timeline.track[one.event] != track) {
      track = timeline.track[one.event];
      waits = &by_device[timeline.tracks[track].device];
    }
    if (!first.is_first(one.launch, timeline.tracks[track].device)) continue;
    // Work may begin before the call that launched it returns; it was never waiting then.
    const std::int64_t begun = timeline.start[one.event];
    waits->launched.push_back(std::min(timeline.end(one.launch), begun));
    waits->begun.push_back(begun);
  }
  std::vector<LaunchQueue> queues;
  for (auto& [device, of_device] : by_device) {
    if (!of_device.launched.empty()) queues.push_back(queue_of(device, of_device));
  }
  return queues;
}

}  // namespace frx::derive::trace
