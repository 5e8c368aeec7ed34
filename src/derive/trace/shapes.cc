#include "derive/trace/shapes.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "derive/trace/judged_names.h"

namespace frx::derive::trace {
namespace {

using model::Timeline;

struct Call {
  std::uint32_t row = 0, name = 0, shapes = 0;
};

// The threads of the steps.
std::vector<bool> step_tracks(const Timeline& timeline, const Steps& steps) {
  std::vector<bool> tracks(timeline.tracks.size());
  for (const Step& step : steps.steps) {
    if (step.event != none_event) tracks[timeline.track[step.event]] = true;
  }
  return tracks;
}

// On the threads of the steps, by start, the outer ones first.
std::vector<Call> model_calls(const Timeline& timeline, const Steps& steps) {
  const std::vector<bool> tracks = step_tracks(timeline, steps);
  JudgedNames works(timeline, works_for_model);
  std::vector<Call> calls;
  for (std::size_t i = 0; i < timeline.shaped_events.size(); ++i) {
    const std::uint32_t row = timeline.shaped_events[i];
    if (!tracks[timeline.track[row]]) continue;
    if (works.holds_for(row)) calls.push_back({row, timeline.name[row], timeline.shapes_of[i]});
  }
  const auto order = [&](const Call& call) { return std::tuple(timeline.start[call.row], -timeline.duration[call.row], call.row); };
  if (!std::ranges::is_sorted(calls, {}, order)) std::ranges::sort(calls, {}, order);
  return calls;
}

void keep_outermost(const Timeline& timeline, std::vector<Call>& calls) {
  std::vector<std::int64_t> end(timeline.tracks.size(), INT64_MIN);
  std::erase_if(calls, [&](const Call& call) {
    std::int64_t& until = end[timeline.track[call.row]];
    if (timeline.start[call.row] < until) return true;
    until = timeline.end(call.row);
    return false;
  });
}

void remove_within(const Timeline& timeline, std::vector<Call>& calls, std::span<const Interval> ranges) {
  std::size_t next = 0;
  std::erase_if(calls, [&](const Call& call) {
    const std::int64_t time = timeline.start[call.row];
    while (next < ranges.size() && ranges[next].end <= time) ++next;
    return next < ranges.size() && ranges[next].begin <= time;
  });
}

// The calls of one step.
struct StepCalls {
  std::optional<Call> first;  // in time
  std::vector<Call> by_name;  // those of one name in the order of time
};

StepCalls calls_of(std::span<const Call> in_time) {
  StepCalls step;
  if (!in_time.empty()) step.first = in_time.front();
  step.by_name.assign(in_time.begin(), in_time.end());
  std::ranges::stable_sort(step.by_name, {}, &Call::name);
  return step;
}

std::span<const Call> same_name(std::span<const Call> from) {
  return from.first(
      static_cast<std::size_t>(std::ranges::find_if(from, [&](const Call& call) { return call.name != from[0].name; }) - from.begin()));
}

std::optional<bool> inputs_changed(const StepCalls& before, const StepCalls& after) {
  std::size_t compared = 0, changed = 0;
  for (std::span<const Call> a = before.by_name, b = after.by_name; !a.empty() && !b.empty();) {
    const std::span<const Call> of_a = same_name(a), of_b = same_name(b);
    const bool same = of_a[0].name == of_b[0].name;
    if (same && of_a.size() == of_b.size()) {
      compared += of_a.size();
      for (std::size_t i = 0; i < of_a.size(); ++i) changed += of_a[i].shapes != of_b[i].shapes;
    }
    const bool next_a = same || of_a[0].name < of_b[0].name, next_b = same || !next_a;
    if (next_a) a = a.subspan(of_a.size());
    if (next_b) b = b.subspan(of_b.size());
  }
  if (compared == 0 || compared * 2 < std::max(before.by_name.size(), after.by_name.size())) return std::nullopt;
  const bool first_changed = before.first->name == after.first->name && before.first->shapes != after.first->shapes;
  return first_changed && changed * 2 >= compared;
}

std::string text_of(const Timeline& timeline, std::uint32_t shapes) {
  return Timeline::is_hash_of_shapes(shapes) ? std::string() : std::string(timeline.shapes[shapes]);
}

}  // namespace

bool works_for_model(std::string_view operation) {
  // Interpolation of images is called linear, too.
  if (contains_ignoring_case(operation, "upsample") || contains_ignoring_case(operation, "bilinear")) return false;
  constexpr std::string_view parts[] = {"conv1d",
                                        "conv2d",
                                        "conv3d",
                                        "convolution",
                                        "conv_transpose",
                                        "linear",
                                        "matmul",
                                        "addmm",
                                        "bmm",
                                        "::mm",
                                        "gemm",
                                        "einsum",
                                        "embedding",
                                        "attention",
                                        "::lstm",
                                        "::gru",
                                        "_rnn",
                                        "encoder_layer",
                                        "CompiledFunction",
                                        "Torch-Compiled Region"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains_ignoring_case(operation, part); });
}

ModelShapes model_shapes(const Timeline& timeline, const Steps& steps, std::span<const Interval> input) {
  ModelShapes result;
  if (timeline.shaped_events.empty() || steps.source == model::StepSource::recording) return result;
  std::vector<Call> calls = model_calls(timeline, steps);
  keep_outermost(timeline, calls);
  remove_within(timeline, calls, input);
  result.steps.resize(steps.steps.size());
  StepCalls before, before_that;
  const auto start_of = [&](const Call& call) { return timeline.start[call.row]; };
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const Interval span = steps.steps[i].span;
    const auto begin = std::ranges::lower_bound(calls, span.begin, {}, start_of);
    const auto end = std::ranges::lower_bound(begin, calls.end(), span.end, {}, start_of);
    StepCalls now = calls_of({begin, end});
    model::StepShapes& shapes = result.steps[i];
    shapes.calls = static_cast<std::uint32_t>(now.by_name.size());
    shapes.changed = inputs_changed(before, now);
    shapes.changed_from_second = inputs_changed(before_that, now);
    if (shapes.changed.value_or(false)) {
      result.last_change = {steps.steps[i - 1].number, steps.steps[i].number, std::string(timeline.names[now.first->name]),
                            text_of(timeline, before.first->shapes), text_of(timeline, now.first->shapes)};
    }
    before_that = std::exchange(before, std::move(now));
  }
  return result;
}

}  // namespace frx::derive::trace
