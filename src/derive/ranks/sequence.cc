#include "derive/ranks/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "derive/trace/activities.h"
#include "derive/trace/judged_names.h"
#include "derive/trace/transfers.h"

namespace frx::derive::ranks {
namespace {

using model::CollectiveArguments;
using model::EventKind;
using model::Timeline;
using trace::GpuWork;

// "ncclDevKernel_AllReduce_Sum_f16_RING_LL" of "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, ...)".
std::string_view kernel_word(std::string_view kernel) { return kernel.substr(0, kernel.find('(')); }

std::string described(const Timeline& timeline, const CollectiveArguments& call) {
  const std::string elements = call.in_elements == call.out_elements ? fmt::format("{}", call.in_elements)
                                                                     : fmt::format("{} to {}", call.in_elements, call.out_elements);
  return fmt::format("{} of {} {}", timeline.names[call.name], elements, timeline.names[call.type]);
}

std::string group_of(const Timeline& timeline, const CollectiveArguments& call) {
  return fmt::format("group {} {}", timeline.names[call.group], timeline.names[call.group_ranks]);
}

// The message is what each rank has in the end, or began with where that is more.
model::CollectiveShape shape_of(const Timeline& timeline, const CollectiveArguments& call, std::uint32_t what) {
  const std::string_view type = timeline.names[call.type];
  return {what,
          std::string(timeline.names[call.name]),
          std::string(type),
          call.in_elements,
          call.out_elements,
          std::max(call.in_elements, call.out_elements) * trace::bytes_of_element(type).value_or(0)};
}

bool is_point_to_point(std::string_view collective) { return collective == "send" || collective == "recv"; }

class Steps {
 public:
  explicit Steps(const trace::Steps& steps) : steps_(steps) {}

  std::optional<std::int64_t> number_at(std::int64_t time) const {
    if (steps_.source == model::StepSource::recording) return 1;
    const auto next = std::ranges::upper_bound(steps_.steps, time, {}, [](const trace::Step& step) { return step.span.begin; });
    if (next == steps_.steps.begin() || time >= std::prev(next)->span.end) return std::nullopt;
    return std::prev(next)->number;
  }

 private:
  const trace::Steps& steps_;
};

// Kernels of collectives on the tracks of a rank, by start.
std::vector<GpuWork> communication_of(const Timeline& timeline, const trace::Attribution& attribution, std::int64_t rank) {
  trace::JudgedNames communicates(timeline, trace::is_communication);
  std::vector<GpuWork> found;
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::kernel) continue;
    if (rank >= 0 && timeline.tracks[timeline.track[one.event]].rank != rank) continue;
    if (communicates.holds_for(one.event)) found.push_back(one);
  }
  return found;
}

// Streams have the same number on each rank, or each rank has only one.
std::map<std::uint32_t, std::string> stream_groups(const Timeline& timeline, const std::vector<GpuWork>& work) {
  std::map<std::uint32_t, std::string> groups;
  for (const GpuWork& one : work) groups.try_emplace(timeline.track[one.event]);
  for (auto& [track, text] : groups) {
    text = groups.size() == 1 ? "the stream of collectives" : fmt::format("stream {}", timeline.tracks[track].stream);
  }
  return groups;
}

}  // namespace

Sequence sequence_of(const Timeline& timeline, const trace::Attribution& attribution, const trace::Steps& steps, std::int64_t rank,
                     Interner& words) {
  Sequence sequence;
  const std::vector<GpuWork> work = communication_of(timeline, attribution, rank);
  const std::map<std::uint32_t, std::string> streams = stream_groups(timeline, work);
  const Steps by_time(steps);
  std::map<std::uint32_t, model::CollectiveShape> shapes;
  for (const GpuWork& one : work) {
    const auto call = std::ranges::lower_bound(timeline.collectives, one.event, {}, &CollectiveArguments::event);
    const bool has_arguments = call != timeline.collectives.end() && call->event == one.event;
    const bool is_send = has_arguments && is_point_to_point(timeline.names[call->name]);
    sequence.point_to_point += is_send;
    const std::optional<std::int64_t> step = by_time.number_at(timeline.start[one.launch == trace::none ? one.event : one.launch]);
    if (!step) {
      sequence.outside_steps += !is_send;
      continue;
    }
    const std::uint32_t what = words.add(has_arguments ? described(timeline, *call) : kernel_word(timeline.name_of(one.event)));
    Collective found{what,
                     model::RankCall::no_group,
                     *step,
                     timeline.duration[one.event],
                     timeline.end(one.event),
                     timeline.tracks[timeline.track[one.event]].stream};
    if (has_arguments) shapes.try_emplace(what, shape_of(timeline, *call, what));
    if (is_send) {
      sequence.sends.push_back(found);
      continue;
    }
    sequence.described |= has_arguments;
    found.group = words.add(has_arguments ? group_of(timeline, *call) : streams.at(timeline.track[one.event]));
    sequence.calls.push_back(found);
  }
  for (auto& [what, shape] : shapes) sequence.shapes.push_back(std::move(shape));
  return sequence;
}

}  // namespace frx::derive::ranks
