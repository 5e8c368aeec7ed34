#include "derive/trace/operator_calls.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "derive/trace/backward.h"
#include "derive/trace/steps.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::string_view window_name = "frx::measure#";

bool is_range(EventKind kind) { return kind == EventKind::cpu_op || kind == EventKind::annotation; }

std::optional<std::uint32_t> window_number(std::string_view name) {
  const std::optional<std::int64_t> number = number_behind(window_name, name);
  return number && *number >= 0 && *number <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

// Looks outwards from the innermost range around each launch.
class Walk {
 public:
  Walk(const Timeline& timeline, const std::vector<std::uint32_t>& enclosing) : timeline_(timeline), enclosing_(enclosing) {
    for (std::uint32_t row = 0; row < timeline.size(); ++row) {
      if (timeline.kind[row] != EventKind::annotation || !window_number(timeline.name_of(row))) continue;
      window_begin_ = std::min(window_begin_, timeline.start[row]);
      windows_[timeline.tracks[timeline.track[row]].pid].push_back(row);
    }
    for (auto& [pid, rows] : windows_) std::ranges::sort(rows, {}, [&](std::uint32_t row) { return std::pair(timeline.start[row], row); });
  }

  bool has_window() const { return window_begin_ != INT64_MAX; }
  std::int64_t window_begin() const { return has_window() ? window_begin_ : INT64_MIN; }

  // `inner`: the innermost range around the launch. `captured_in`: that around the capture; none.
  OperatorKernel judged(const GpuWork& work, std::uint32_t inner, std::uint32_t captured_in) const {
    OperatorKernel kernel = judged_by_launch(work, inner);
    if (captured_in == none || kernel.method == OperatorMethod::before) return kernel;
    const OperatorKernel captured = judged_by_launch(work, captured_in);
    const bool is_vaguer = captured.method == OperatorMethod::scope && kernel.method == OperatorMethod::range;
    if (captured.method == OperatorMethod::unknown || is_vaguer) return kernel;
    kernel.range = captured.range;
    kernel.inner = captured.inner;
    kernel.place = work.capture;
    kernel.method = captured.method == OperatorMethod::range ? OperatorMethod::capture : captured.method;
    return kernel;
  }

 private:
  OperatorKernel judged_by_launch(const GpuWork& work, std::uint32_t inner) const {
    OperatorKernel kernel{work.event, none, inner, OperatorMethod::unknown, std::nullopt, work.launch, work.launch};
    std::uint32_t scope = none;
    for (std::uint32_t row = inner; row != none; row = enclosing_[row]) {
      const std::string_view name = timeline_.name_of(row);
      if (timeline_.kind[row] == EventKind::cpu_op) {
        if (kernel.range == none) kernel.range = row;
      } else if (const auto number = window_number(name)) {
        kernel.iteration = number;
      } else if (scope == none && !name.starts_with("layer::")) {
        scope = row;
      }
    }
    if (!kernel.iteration && work.launch != none) kernel.iteration = iteration_at(work.launch);
    if (kernel.range != none) kernel.method = OperatorMethod::range;
    if (kernel.range == none && scope != none) {
      kernel.range = scope;
      kernel.method = OperatorMethod::scope;
    }
    if (has_window() && work.launch != none && timeline_.start[work.launch] < window_begin_) kernel.method = OperatorMethod::before;
    return kernel;
  }

  // Threads of autograd launch the backward pass while the range is open on another thread.
  std::optional<std::uint32_t> iteration_at(std::uint32_t launch) const {
    const auto windows = windows_.find(timeline_.tracks[timeline_.track[launch]].pid);
    if (windows == windows_.end()) return std::nullopt;
    const auto after =
        std::ranges::upper_bound(windows->second, timeline_.start[launch], {}, [&](std::uint32_t row) { return timeline_.start[row]; });
    if (after == windows->second.begin() || timeline_.end(*(after - 1)) <= timeline_.start[launch]) return std::nullopt;
    return window_number(timeline_.name_of(*(after - 1)));
  }

  const Timeline& timeline_;
  const std::vector<std::uint32_t>& enclosing_;
  std::int64_t window_begin_ = INT64_MAX;
  std::unordered_map<std::string, std::vector<std::uint32_t>> windows_;  // by process: rows by start
};

std::vector<OperatorCall> calls_of(const Timeline& timeline, const std::vector<OperatorKernel>& kernels) {
  std::vector<OperatorCall> calls;
  std::unordered_map<std::uint32_t, std::size_t> by_range;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    const OperatorKernel& kernel = kernels[i];
    if (!is_attributed(kernel.method)) continue;
    const auto [at, is_new] = by_range.try_emplace(kernel.range, calls.size());
    if (is_new) calls.push_back({kernel.range, 0, {}, 0});
    calls[at->second].kernels.push_back(i);
    calls[at->second].gpu_ns += timeline.duration[kernel.event];
  }
  std::ranges::sort(calls, {}, [&](const OperatorCall& call) { return std::pair(timeline.start[call.range], call.range); });
  std::unordered_map<std::uint32_t, std::uint32_t> seen;  // by name
  for (OperatorCall& call : calls) call.index = seen[timeline.name[call.range]]++;
  return calls;
}

}  // namespace

std::vector<std::uint32_t> enclosing_ranges(const Timeline& timeline, std::vector<std::uint32_t> ranges) {
  std::vector<std::uint32_t> enclosing(timeline.size(), none);
  std::ranges::sort(ranges, {},
                    [&](std::uint32_t row) { return std::tuple(timeline.track[row], timeline.start[row], -timeline.duration[row], row); });
  std::vector<std::uint32_t> open;
  std::uint32_t track = none;
  for (const std::uint32_t row : ranges) {
    if (timeline.track[row] != track) open.clear();
    track = timeline.track[row];
    while (!open.empty() && timeline.end(open.back()) <= timeline.start[row] && timeline.start[open.back()] < timeline.start[row])
      open.pop_back();
    if (!open.empty()) enclosing[row] = open.back();
    open.push_back(row);
  }
  return enclosing;
}

OperatorCalls operator_calls(const Timeline& timeline, const Attribution& attribution) {
  OperatorCalls result;
  std::vector<std::uint32_t> ranges, launches, captures;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (is_range(timeline.kind[row])) ranges.push_back(row);
  }
  result.enclosing = enclosing_ranges(timeline, ranges);
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::kernel) continue;
    if (one.launch != none) launches.push_back(one.launch);
    if (one.capture != none) captures.push_back(one.capture);
  }
  const std::vector<std::uint32_t> around_launches = innermost_around(timeline, ranges, launches);
  const std::vector<std::uint32_t> around_captures = innermost_around(timeline, ranges, captures);
  const Walk walk(timeline, result.enclosing);
  result.window_begin_ns = walk.window_begin();
  const BackwardWork backward = join_backward(timeline, attribution);
  auto launch = around_launches.begin(), capture = around_captures.begin();
  for (std::size_t i = 0; i < attribution.work.size(); ++i) {
    const GpuWork& one = attribution.work[i];
    if (timeline.kind[one.event] != EventKind::kernel) continue;
    const std::uint32_t launched_in = one.launch == none ? none : *launch++;
    OperatorKernel& kernel = result.kernels.emplace_back(walk.judged(one, launched_in, one.capture == none ? none : *capture++));
    kernel.forward = backward.forward[i];
    kernel.is_backward = backward.is_backward[i];
  }
  result.calls = calls_of(timeline, result.kernels);
  return result;
}

}  // namespace frx::derive::trace
