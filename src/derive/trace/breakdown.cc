#include "derive/trace/breakdown.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "derive/trace/host_ranges.h"
#include "derive/trace/idle.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::int64_t small_kernel_ns = 10'000;
// Their causes take four times the memory of the gaps.
constexpr std::size_t gaps_at_a_time = 1 << 14;

std::vector<Interval> spans_of(const Steps& steps) {
  std::vector<Interval> spans;
  for (const Step& step : steps.steps) spans.push_back(step.span);
  return spans;
}

bool is_from_host(std::string_view copy) { return contains_ignoring_case(copy, "htod") || contains_ignoring_case(copy, "host -> device"); }

// What one GPU did for one process.
struct Activity {
  std::vector<Interval> compute, communication, copy, host_to_device;
  std::vector<std::uint32_t> work;  // by start: places in the attribution
};

using Activities = std::map<std::pair<std::string, std::int32_t>, Activity>;  // by pid of the launching process, device

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

// The properties of a name, determined once for all events that have it.
template <typename Question>
class PerName {
 public:
  PerName(const Timeline& timeline, Question question) : timeline_(timeline), question_(question), answers_(timeline.names.size(), -1) {}
  bool operator()(std::uint32_t event) {
    std::int8_t& known = answers_[timeline_.name[event]];
    if (known < 0) known = question_(timeline_.name_of(event));
    return known > 0;
  }

 private:
  const Timeline& timeline_;
  Question question_;
  std::vector<std::int8_t> answers_;
};

// The activity of each track, with capacity reserved for its work.
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

// Work whose launch is not in the file belongs to the process that launched most on its track.
Activities activities(const Timeline& timeline, const Attribution& attribution, bool one_process) {
  const std::vector<std::string> owner = owners(timeline, attribution, one_process);
  PerName communicates(timeline, is_communication), from_host(timeline, is_from_host);
  Activities all;
  const std::vector<Activity*> of_track = activities_of_tracks(timeline, attribution, owner, all);
  for (std::uint32_t i = 0; i < attribution.work.size(); ++i) {
    const GpuWork& one = attribution.work[i];
    Activity& activity = *of_track[timeline.track[one.event]];
    const Interval span{timeline.start[one.event], timeline.end(one.event)};
    activity.work.push_back(i);
    if (timeline.kind[one.event] == EventKind::kernel) {
      (communicates(one.event) ? activity.communication : activity.compute).push_back(span);
    } else {
      activity.copy.push_back(span);
      if (from_host(one.event)) activity.host_to_device.push_back(span);
    }
  }
  return all;
}

// Adds how much of each of the spans the causes cover. `within`: what the causes lie in; only spans that touch it are looked at.
class CausesBySpan {
 public:
  explicit CausesBySpan(std::span<const Interval> spans) : spans_(spans) {
    for (const Interval& span : spans) latest_end_.push_back(std::max(span.end, latest_end_.empty() ? INT64_MIN : latest_end_.back()));
  }
  void add(const std::array<Intervals, idle_cause_count>& causes, Interval within, std::vector<GpuTime>& times) const {
    const auto first = static_cast<std::size_t>(std::ranges::upper_bound(latest_end_, within.begin) - latest_end_.begin());
    const auto end = static_cast<std::size_t>(std::ranges::lower_bound(spans_, within.end, {}, &Interval::begin) - spans_.begin());
    if (first >= end) return;
    for (std::size_t cause = 0; cause < idle_cause_count; ++cause) {
      const std::vector<std::int64_t> sums = total_in_each(spans_.subspan(first, end - first), causes[cause]);
      for (std::size_t i = 0; i < sums.size(); ++i) times[first + i].idle_by[cause] += sums[i];
    }
  }

 private:
  std::span<const Interval> spans_;       // by begin
  std::vector<std::int64_t> latest_end_;  // of a span and those before it
};

GpuTrack gpu_track(const Timeline& timeline, const Attribution& attribution, std::int32_t device, Activity activity, const Steps& steps,
                   const HostRanges& host) {
  GpuTrack track{device, {}, {}};
  const std::vector<Interval> spans = spans_of(steps);
  const Intervals stepping = united(spans);
  track.steps.resize(spans.size());
  const auto fill = [&](std::int64_t GpuTime::*field, const Intervals& intervals) {
    const std::vector<std::int64_t> sums = total_in_each(spans, intervals);
    for (std::size_t i = 0; i < sums.size(); ++i) track.steps[i].*field = sums[i];
  };
  Intervals idle;
  {
    const Intervals compute = united(std::move(activity.compute));
    const Intervals communication = united(std::move(activity.communication));
    const Intervals copy = united(std::move(activity.copy));
    const Intervals host_to_device = united(std::move(activity.host_to_device));
    const Intervals copies_only = without(without(copy, compute), communication);
    fill(&GpuTime::span, stepping);
    fill(&GpuTime::compute, compute);
    fill(&GpuTime::communication, without(communication, compute));
    fill(&GpuTime::copy, copies_only);
    fill(&GpuTime::host_to_device, common(copies_only, host_to_device));
    fill(&GpuTime::all_communication, communication);
    fill(&GpuTime::all_host_to_device, host_to_device);
    idle = without(without(without(stepping, compute), communication), copy);
  }
  fill(&GpuTime::idle, idle);
  Blame blame(timeline, attribution.work, activity.work, host);
  const CausesBySpan by_step(spans);
  for (std::span<const Interval> rest = idle; !rest.empty();) {
    const std::span<const Interval> some = rest.first(std::min(rest.size(), gaps_at_a_time));
    by_step.add(blame.causes_of(some), {some.front().begin, some.back().end}, track.steps);
    rest = rest.subspan(some.size());
  }
  for (const GpuTime& step : track.steps) track.all += step;
  return track;
}

// take(step, duration) for each kernel that was launched in a step. The step of a kernel is the one that launched it: it may run later.
template <typename Take>
void for_each_kernel(const Timeline& timeline, const Attribution& attribution, const Steps& steps, std::span<const Interval> spans,
                     Take take) {
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::kernel) continue;
    const std::uint32_t from = one.launch != none ? one.launch : one.event;
    if (one.launch != none && !steps.pid.empty() && timeline.tracks[timeline.track[from]].pid != steps.pid) continue;
    const auto next = std::ranges::upper_bound(spans, timeline.start[from], {}, &Interval::begin);
    if (next == spans.begin() || timeline.start[from] >= std::prev(next)->end) continue;
    take(static_cast<std::size_t>(std::prev(next) - spans.begin()), timeline.duration[one.event]);
  }
}

std::vector<HostTime> host_times(const Timeline& timeline, const Attribution& attribution, const Steps& steps, const HostRanges& host) {
  const std::vector<Interval> spans = spans_of(steps);
  std::vector<HostTime> times(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) times[i].wall = spans[i].length();
  const auto fill = [&](std::int64_t HostTime::*field, const Intervals& intervals) {
    const std::vector<std::int64_t> sums = total_in_each(spans, intervals);
    for (std::size_t i = 0; i < sums.size(); ++i) times[i].*field = sums[i];
  };
  fill(&HostTime::input, host.input);
  fill(&HostTime::sync, host.sync);
  fill(&HostTime::forward, host.forward);
  fill(&HostTime::backward, host.backward);
  fill(&HostTime::optimizer, host.optimizer);
  std::vector<std::vector<std::int64_t>> kernels(spans.size());
  for_each_kernel(timeline, attribution, steps, spans, [&](std::size_t step, std::int64_t) { ++times[step].kernels; });
  for (std::size_t i = 0; i < times.size(); ++i) kernels[i].reserve(times[i].kernels);
  for_each_kernel(timeline, attribution, steps, spans, [&](std::size_t step, std::int64_t ns) { kernels[step].push_back(ns); });
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::vector<std::int64_t>& durations = kernels[i];
    if (durations.empty()) continue;
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::ranges::nth_element(durations, middle);
    times[i].median_kernel_ns = static_cast<double>(*middle);
    const auto small = std::ranges::count_if(durations, [](std::int64_t ns) { return ns < small_kernel_ns; });
    times[i].small_kernels = static_cast<double>(small) / static_cast<double>(durations.size());
  }
  return times;
}

}  // namespace

std::string_view name_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::input: return "input";
    case IdleCause::sync: return "sync";
    case IdleCause::allocator: return "allocator";
    case IdleCause::host: return "host";
    case IdleCause::device: return "device";
    case IdleCause::unknown: return "unknown";
  }
  return "unknown";
}

GpuTime& GpuTime::operator+=(const GpuTime& other) {
  span += other.span;
  compute += other.compute;
  communication += other.communication;
  copy += other.copy;
  host_to_device += other.host_to_device;
  all_communication += other.all_communication;
  all_host_to_device += other.all_host_to_device;
  idle += other.idle;
  for (std::size_t i = 0; i < idle_cause_count; ++i) idle_by[i] += other.idle_by[i];
  return *this;
}

bool is_communication(std::string_view kernel) {
  constexpr std::string_view libraries[] = {"nccl", "rccl", "msccl", "nvshmem"};
  return std::ranges::any_of(libraries, [&](std::string_view library) { return contains_ignoring_case(kernel, library); });
}

std::vector<ProcessTimes> break_down(const Timeline& timeline, const Attribution& attribution, std::vector<Steps> steps) {
  const bool one_process = steps.size() == 1;
  Activities all = activities(timeline, attribution, one_process);
  const std::map<std::string, HostRanges> ranges = host_ranges(timeline);
  std::vector<ProcessTimes> processes;
  for (Steps& of_process : steps) {
    ProcessTimes times;
    const auto found = ranges.find(one_process ? "" : of_process.pid);
    const HostRanges& host = found == ranges.end() ? ranges.at("") : found->second;
    times.host = host_times(timeline, attribution, of_process, host);
    times.has_loader = !host.input.empty();
    times.shapes = model_shapes(timeline, of_process, host.input);
    for (auto& [key, activity] : all) {
      if (!one_process && key.first != of_process.pid) continue;
      times.gpus.push_back(gpu_track(timeline, attribution, key.second, std::move(activity), of_process, host));
    }
    times.steps = std::move(of_process);
    processes.push_back(std::move(times));
  }
  return processes;
}

}  // namespace frx::derive::trace
