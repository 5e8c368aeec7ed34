#include "derive/trace/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "derive/trace/activities.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;
using model::TimelineLane;
using model::TimelinePicture;

enum class Kind : std::uint8_t {
  computing,
  communication,
  copy,
  fill,
  cpu_op,
  annotation,
  runtime,
  python,
  sync,
  overhead,
  os_call,
  other
};
constexpr std::string_view kind_names[] = {"computing", "communication",   "copy",     "fill",        "operator", "annotation", "CUDA call",
                                           "Python",    "synchronisation", "profiler", "system call", "other"};
constexpr std::size_t kind_count = std::size(kind_names);

constexpr std::size_t overview_parts = 1024, events_of_tile = 4096, memory_samples = 20'000;
constexpr std::uint32_t deepest = 40;  // what is nested deeper is drawn in the last row

Kind kind_of(EventKind kind, bool communicates) {
  switch (kind) {
    case EventKind::kernel: return communicates ? Kind::communication : Kind::computing;
    case EventKind::graph: return Kind::computing;
    case EventKind::memcpy: return Kind::copy;
    case EventKind::memset: return Kind::fill;
    case EventKind::cpu_op: return Kind::cpu_op;
    case EventKind::annotation:
    case EventKind::gpu_annotation: return Kind::annotation;
    case EventKind::runtime:
    case EventKind::driver: return Kind::runtime;
    case EventKind::python: return Kind::python;
    case EventKind::sync: return Kind::sync;
    case EventKind::overhead: return Kind::overhead;
    case EventKind::os_call: return Kind::os_call;
    case EventKind::window:
    case EventKind::foreign:
    case EventKind::other: break;
  }
  return Kind::other;
}

// Ranges and Python functions lie around the work that is of interest from afar.
bool is_around(Kind kind) { return kind == Kind::annotation || kind == Kind::python; }

void put_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

class Painter {
 public:
  Painter(const Timeline& timeline, std::size_t most_events) : timeline_(timeline), most_events_(most_events) {}

  TimelinePicture paint(const std::vector<Steps>& steps) {
    picture_.kinds = kind_names;
    choose();
    for (std::size_t track = 0; track + 1 < first_.size(); ++track) add_lane(track);
    std::ranges::stable_sort(picture_.lanes, {}, [](const TimelineLane& lane) { return std::pair(lane.device < 0, lane.device); });
    if (!steps.empty()) add_steps(steps.front());
    add_memory();
    return std::move(picture_);
  }

 private:
  bool is_drawn(std::size_t event) const {
    return timeline_.kind[event] != EventKind::window && timeline_.duration[event] >= picture_.least_ns;
  }

  // Which events are drawn, in the order of their tracks, and the time that they span.
  void choose() {
    const std::size_t all = timeline_.size();
    if (all > most_events_) {
      std::vector<std::int64_t> durations(timeline_.duration.begin(), timeline_.duration.end());
      const auto least = durations.begin() + static_cast<std::ptrdiff_t>(all - most_events_);
      std::ranges::nth_element(durations, least);
      picture_.least_ns = *least + 1;
    }
    std::vector<std::uint32_t> counts(timeline_.tracks.size() + 1);
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min();
    for (std::size_t event = 0; event < all; ++event) {
      if (timeline_.kind[event] == EventKind::window) continue;
      begin = std::min(begin, timeline_.start[event]);
      end = std::max(end, timeline_.end(event));
      is_drawn(event) ? void(++counts[timeline_.track[event]]) : void(++picture_.left_out);
    }
    if (begin > end) begin = end = 0;
    picture_.origin_ns = begin;
    picture_.span_ns = end - begin;
    first_.resize(timeline_.tracks.size() + 1);
    for (std::size_t track = 0; track < timeline_.tracks.size(); ++track) first_[track + 1] = first_[track] + counts[track];
    order_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end());
    for (std::size_t event = 0; event < all; ++event) {
      if (is_drawn(event)) order_[next[timeline_.track[event]]++] = static_cast<std::uint32_t>(event);
    }
  }

  void add_lane(std::size_t track) {
    const std::span<std::uint32_t> events = std::span(order_).subspan(first_[track], first_[track + 1] - first_[track]);
    if (events.empty()) return;
    // An event around another one begins before it or ends after it.
    std::ranges::sort(events, [&](std::uint32_t a, std::uint32_t b) {
      if (timeline_.start[a] != timeline_.start[b]) return timeline_.start[a] < timeline_.start[b];
      return timeline_.duration[a] != timeline_.duration[b] ? timeline_.duration[a] > timeline_.duration[b] : a < b;
    });
    TimelineLane& lane = picture_.lanes.emplace_back();
    name_lane(timeline_.tracks[track], lane);
    lane.events = events.size();
    std::vector<std::array<double, kind_count>> parts(overview_parts);
    std::vector<std::int64_t> open;  // ends of the events around this one
    std::int64_t reach = 0, previous = 0, covered = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::uint32_t event = events[i];
      const std::int64_t begin = timeline_.start[event] - picture_.origin_ns, end = begin + timeline_.duration[event];
      const Kind kind = kind_of_event(event);
      while (!open.empty() && open.back() <= begin) open.pop_back();
      const auto depth = static_cast<std::uint32_t>(std::min<std::size_t>(open.size(), deepest - 1));
      open.push_back(end);
      lane.depth = std::max(lane.depth, depth + 1);
      if (i % events_of_tile == 0) {
        lane.begin.push_back(begin);
        lane.reach.push_back(reach);
        lane.count.push_back(0);
        lane.at.push_back(picture_.tiles.size());
        previous = begin;
      }
      reach = std::max(reach, end);
      lane.reach.back() = reach;
      ++lane.count.back();
      put_number(picture_.tiles, static_cast<std::uint64_t>(begin - previous));
      put_number(picture_.tiles, static_cast<std::uint64_t>(end - begin));
      put_number(picture_.tiles, name_number(timeline_.name[event]));
      put_number(picture_.tiles, depth * kind_count + static_cast<std::size_t>(kind));
      previous = begin;
      if (!is_around(kind)) {
        spread(std::max(begin, covered), end, kind, parts);
        covered = std::max(covered, end);
      }
    }
    summarise(parts, lane);
  }

  void name_lane(const model::Track& track, TimelineLane& lane) const {
    const std::string rank = track.rank >= 0 ? fmt::format("rank {}, ", track.rank) : "";
    lane.device = track.device;
    if (track.device >= 0) {
      lane.group = fmt::format("{}GPU {}", rank, track.device);
      lane.name = track.stream >= 0 ? fmt::format("stream {}", track.stream) : track.tid;
    } else {
      lane.group = fmt::format("{}process {}", rank, track.pid);
      lane.name = fmt::format("thread {}", track.tid);
    }
  }

  Kind kind_of_event(std::uint32_t event) {
    const EventKind kind = timeline_.kind[event];
    if (kind != EventKind::kernel) return kind_of(kind, false);
    const std::uint32_t name = timeline_.name[event];
    if (communicates_.size() <= name) communicates_.resize(name + 1, -1);
    if (communicates_[name] < 0) communicates_[name] = is_communication(timeline_.names[name]) ? 1 : 0;
    return kind_of(kind, communicates_[name] == 1);
  }

  // Only names that occur are kept.
  std::uint32_t name_number(std::uint32_t name) {
    if (numbers_.size() <= name) numbers_.resize(name + 1, Timeline::no_id);
    if (numbers_[name] == Timeline::no_id) {
      numbers_[name] = static_cast<std::uint32_t>(picture_.names.size());
      picture_.names.emplace_back(timeline_.names[name]);
    }
    return numbers_[name];
  }

  // Adds the time from `begin` to `end` to the parts of the overview that it lies in.
  void spread(std::int64_t begin, std::int64_t end, Kind kind, std::vector<std::array<double, kind_count>>& parts) const {
    if (begin >= end || picture_.span_ns == 0) return;
    const double width = static_cast<double>(picture_.span_ns) / static_cast<double>(overview_parts);
    const double from = static_cast<double>(begin) / width, to = static_cast<double>(end) / width;
    const auto last = std::min(static_cast<std::size_t>(to), overview_parts - 1);
    for (std::size_t i = std::min(static_cast<std::size_t>(from), overview_parts - 1); i <= last; ++i) {
      const double part = std::min(to, static_cast<double>(i + 1)) - std::max(from, static_cast<double>(i));
      parts[i][static_cast<std::size_t>(kind)] += std::max(part, 0.0);
    }
  }

  static void summarise(const std::vector<std::array<double, kind_count>>& parts, TimelineLane& lane) {
    for (const std::array<double, kind_count>& part : parts) {
      double all = 0;
      for (const double share : part) all += share;
      // What is there is not to vanish.
      const double fill = all > 0 ? std::clamp(255 * all, 1.0, 255.0) : 0;
      lane.overview += static_cast<char>(static_cast<unsigned char>(fill));
      lane.overview += static_cast<char>(std::ranges::max_element(part) - part.begin());
    }
  }

  void add_steps(const Steps& steps) {
    if (steps.source == model::StepSource::recording) return;
    for (const Step& step : steps.steps)
      picture_.steps.push_back({step.number, step.span.begin - picture_.origin_ns, step.span.end - picture_.origin_ns});
  }

  // Of as many neighbouring samples of a device as there are too many, the one with most memory.
  void add_memory() {
    std::vector<model::MemorySample> all = timeline_.memory;
    std::ranges::stable_sort(all, {}, [](const model::MemorySample& sample) { return std::pair(sample.device, sample.time_ns); });
    const std::size_t each = (all.size() + memory_samples - 1) / memory_samples;
    std::size_t together = 0;
    for (model::MemorySample& sample : all) {
      sample.time_ns -= picture_.origin_ns;
      const bool goes_on = together > 0 && together < each && picture_.memory.back().device == sample.device;
      if (!goes_on) {
        together = 1;
        picture_.memory.push_back(sample);
        continue;
      }
      ++together;
      if (sample.allocated_bytes > picture_.memory.back().allocated_bytes) picture_.memory.back() = sample;
    }
  }

  const Timeline& timeline_;
  std::size_t most_events_;
  TimelinePicture picture_;
  std::vector<std::uint32_t> first_;       // by track, the place of its first event in `order_`
  std::vector<std::uint32_t> order_;       // rows of the events that are drawn
  std::vector<std::uint32_t> numbers_;     // by name of the timeline
  std::vector<std::int8_t> communicates_;  // the same; -1: not known yet
};

}  // namespace

TimelinePicture picture_of(const Timeline& timeline, const std::vector<Steps>& steps, std::size_t most_events) {
  return Painter(timeline, most_events).paint(steps);
}

}  // namespace frx::derive::trace
