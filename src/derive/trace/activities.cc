#include "derive/trace/activities.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "derive/trace/judged_names.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

bool is_from_host(std::string_view copy) { return contains_ignoring_case(copy, "htod") || contains_ignoring_case(copy, "host -> device"); }

// By track: the process that launched most of its work; "" where nothing is known, or there is only one process.
std::vector<std::string> owners(const Timeline& timeline, const Attribution& attribution, bool one_process) {
  std::vector<std::string> owner(timeline.tracks.size());
  if (one_process) return owner;
  std::vector<std::unordered_map<std::uint32_t, std::uint64_t>> launched(timeline.tracks.size());  // by track of the call
  for (const GpuWork& one : attribution.work) {
    if (one.launch != none) ++launched[timeline.track[one.event]][timeline.track[one.launch]];
  }
  for (std::size_t track = 0; track < launched.size(); ++track) {
    std::map<std::string, std::uint64_t> votes;
    for (const auto& [from, count] : launched[track]) votes[timeline.tracks[from].pid] += count;
    std::uint64_t most = 0;
    for (const auto& [pid, count] : votes) {
      if (count > most) owner[track] = pid;
      most = std::max(most, count);
    }
  }
  return owner;
}

// The activity of each track, with capacity for its work.
std::vector<Activity*> activities_of_tracks(const Timeline& timeline, const Attribution& attribution, const std::vector<std::string>& owner,
                                            Activities& all) {
  std::vector<Activity*> of_track(timeline.tracks.size());
  std::unordered_map<Activity*, std::size_t> kernels, work;
  std::vector<std::size_t> kernels_on(timeline.tracks.size()), work_on(timeline.tracks.size());
  for (const GpuWork& one : attribution.work) {
    ++work_on[timeline.track[one.event]];
    kernels_on[timeline.track[one.event]] += timeline.kind[one.event] == EventKind::kernel;
  }
  for (std::size_t track = 0; track < of_track.size(); ++track) {
    if (work_on[track] == 0) continue;
    of_track[track] = &all[{owner[track], timeline.tracks[track].device}];
    kernels[of_track[track]] += kernels_on[track];
    work[of_track[track]] += work_on[track];
  }
  for (const auto& [activity, count] : kernels) activity->compute.reserve(count);
  for (const auto& [activity, count] : work) activity->work.reserve(count);
  return of_track;
}

}  // namespace

bool is_communication(std::string_view kernel) {
  constexpr std::string_view libraries[] = {"nccl", "rccl", "msccl", "nvshmem"};
  return std::ranges::any_of(libraries, [&](std::string_view library) { return contains_ignoring_case(kernel, library); });
}

Activities activities(const Timeline& timeline, const Attribution& attribution, bool one_process) {
  const std::vector<std::string> owner = owners(timeline, attribution, one_process);
  JudgedNames communicates(timeline, is_communication), from_host(timeline, is_from_host);
  Activities all;
  const std::vector<Activity*> of_track = activities_of_tracks(timeline, attribution, owner, all);
  for (std::uint32_t i = 0; i < attribution.work.size(); ++i) {
    const GpuWork& one = attribution.work[i];
    Activity& activity = *of_track[timeline.track[one.event]];
    const Interval span{timeline.start[one.event], timeline.end(one.event)};
    activity.work.push_back(i);
    if (timeline.kind[one.event] == EventKind::kernel || timeline.kind[one.event] == EventKind::graph) {
      (communicates.holds_for(one.event) ? activity.communication : activity.compute).push_back(span);
    } else {
      activity.copy.push_back(span);
      if (from_host.holds_for(one.event)) activity.host_to_device.push_back(span);
    }
  }
  return all;
}

}  // namespace frx::derive::trace
