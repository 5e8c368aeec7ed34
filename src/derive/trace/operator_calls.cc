#include "derive/trace/operator_calls.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

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
      if (timeline.kind[row] == EventKind::annotation && window_number(timeline.name_of(row)))
        window_begin_ = std::min(window_begin_, timeline.start[row]);
    }
  }

  bool has_window() const { return window_begin_ != INT64_MAX; }

  OperatorKernel judged(const GpuWork& work, std::uint32_t inner) const {
    OperatorKernel kernel{work.event, none, inner, OperatorMethod::unknown, std::nullopt};
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
    if (kernel.range != none) kernel.method = OperatorMethod::range;
    if (kernel.range == none && scope != none) {
      kernel.range = scope;
      kernel.method = OperatorMethod::scope;
    }
    if (has_window() && work.launch != none && timeline_.start[work.launch] < window_begin_) kernel.method = OperatorMethod::before;
    return kernel;
  }

 private:
  const Timeline& timeline_;
  const std::vector<std::uint32_t>& enclosing_;
  std::int64_t window_begin_ = INT64_MAX;
};

std::vector<OperatorCall> calls_of(const Timeline& timeline, const std::vector<OperatorKernel>& kernels) {
  std::vector<OperatorCall> calls;
  std::unordered_map<std::uint32_t, std::size_t> by_range;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    const OperatorKernel& kernel = kernels[i];
    if (kernel.method != OperatorMethod::range && kernel.method != OperatorMethod::scope) continue;
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

// By row: the innermost of `ranges` around it, on its own track; `none` elsewhere. O(n log n).
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

}  // namespace

OperatorCalls operator_calls(const Timeline& timeline, const Attribution& attribution) {
  OperatorCalls result;
  std::vector<std::uint32_t> ranges, launches, of_work;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (is_range(timeline.kind[row])) ranges.push_back(row);
  }
  result.enclosing = enclosing_ranges(timeline, ranges);
  for (std::uint32_t i = 0; i < attribution.work.size(); ++i) {
    const GpuWork& one = attribution.work[i];
    if (timeline.kind[one.event] != EventKind::kernel || one.launch == none) continue;
    launches.push_back(one.launch);
    of_work.push_back(i);
  }
  const std::vector<std::uint32_t> innermost = innermost_around(timeline, ranges, launches);
  const Walk walk(timeline, result.enclosing);
  result.has_window = walk.has_window();
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < attribution.work.size(); ++i) {
    if (timeline.kind[attribution.work[i].event] != EventKind::kernel) continue;
    const bool is_known = next < of_work.size() && of_work[next] == i;
    result.kernels.push_back(walk.judged(attribution.work[i], is_known ? innermost[next] : none));
    next += is_known;
  }
  result.calls = calls_of(timeline, result.kernels);
  return result;
}

}  // namespace frx::derive::trace
