#include "derive/trace/attribution.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "derive/trace/judged_names.h"
#include "derive/trace/launches.h"
#include "derive/trace/rows_by_id.h"
#include "derive/trace/steps.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

// Operators of the framework, and ranges of the program: a fused optimizer step has no operator in it. A step is none, whatever it is
// called.
class Operators {
 public:
  explicit Operators(const Timeline& timeline) : timeline_(timeline), is_step_(timeline, is_numbered_step) {}

  bool operator()(std::uint32_t row) {
    if (timeline_.kind[row] == EventKind::cpu_op) return true;
    return timeline_.kind[row] == EventKind::annotation && !is_step_.holds_for(row);
  }

 private:
  const Timeline& timeline_;
  JudgedNames<bool (*)(std::string_view)> is_step_;
};

// Fills the gaps by External id when it agrees with 95 of 100 that are known.
void use_external_ids(const Timeline& timeline, const Launches& launches, Attribution& result) {
  constexpr std::uint64_t enough = 20;
  if (result.kernels_with_op == result.kernels) return;
  const auto id_of = [&](std::uint32_t row) { return launches.in_file(timeline.external[row], row); };
  const RowsById operators(
      timeline.size(), [&](std::uint32_t row) { return timeline.kind[row] == EventKind::cpu_op ? id_of(row) : RowsById::no_id; },
      [](std::uint32_t row) { return row; });
  const auto by_id = [&](const GpuWork& one) { return operators.with(id_of(one.event)); };
  std::uint64_t known = 0, agree = 0;
  for (const GpuWork& one : result.work) {
    const std::uint32_t other = by_id(one);
    known += one.op != none && other != none;
    agree += one.op != none && one.op == other;
  }
  if (known < enough || agree * 100 < known * 95) return;
  for (GpuWork& one : result.work) {
    if (one.op != none) continue;
    one.op = by_id(one);
    if (one.op == none || timeline.kind[one.event] != EventKind::kernel) continue;
    ++result.by_external_id;
    ++result.kernels_with_op;
  }
}

// Rows, or places in a list of rows, by track.
class ByTrack {
 public:
  // for_each(take) calls take(track, value) for all of them, in the same order each time.
  template <typename ForEach>
  ByTrack(std::size_t tracks, ForEach for_each) : ends_(tracks + 1) {
    for_each([&](std::uint32_t track, std::uint32_t) { ++ends_[track + 1]; });
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    values_.resize(ends_.back());
    std::vector<std::uint32_t> next(ends_.begin(), ends_.end() - 1);
    for_each([&](std::uint32_t track, std::uint32_t value) { values_[next[track]++] = value; });
  }
  std::span<std::uint32_t> on(std::size_t track) { return std::span(values_).subspan(ends_[track], ends_[track + 1] - ends_[track]); }

 private:
  std::vector<std::uint32_t> ends_, values_;
};

// Most traces are sorted already.
template <typename Key>
void sort_by(std::span<std::uint32_t> values, Key key) {
  if (!std::ranges::is_sorted(values, {}, key)) std::ranges::sort(values, {}, key);
}

// The innermost of `operators` (outer ones first) around the start of each query, all of one track and by start.
void answer(const Timeline& timeline, std::span<const std::uint32_t> operators, std::span<const std::uint32_t> asked,
            const std::vector<std::uint32_t>& queries, std::vector<std::uint32_t>& open, std::vector<std::uint32_t>& answers) {
  open.clear();
  // An event without a duration encloses the events that begin with it.
  const auto close_before = [&](std::int64_t time) {
    while (!open.empty() && timeline.end(open.back()) <= time && timeline.start[open.back()] < time) open.pop_back();
  };
  std::size_t next = 0;
  for (const std::uint32_t query : asked) {
    const std::int64_t time = timeline.start[queries[query]];
    for (; next < operators.size() && timeline.start[operators[next]] <= time; ++next) {
      close_before(timeline.start[operators[next]]);
      open.push_back(operators[next]);
    }
    close_before(time);
    if (!open.empty()) answers[query] = open.back();
  }
}

template <typename ForEachRange>
std::vector<std::uint32_t> innermost(const Timeline& timeline, const std::vector<std::uint32_t>& queries, ForEachRange for_each_range) {
  const std::size_t tracks = timeline.tracks.size();
  ByTrack asked(tracks, [&](auto take) {
    for (std::uint32_t i = 0; i < queries.size(); ++i) take(timeline.track[queries[i]], i);
  });
  ByTrack ranges(tracks, [&](auto take) {
    for_each_range([&](std::uint32_t row) {
      if (!asked.on(timeline.track[row]).empty()) take(timeline.track[row], row);
    });
  });
  std::vector<std::uint32_t> answers(queries.size(), none), open;
  for (std::size_t track = 0; track < tracks; ++track) {
    sort_by(asked.on(track), [&](std::uint32_t query) { return std::pair(timeline.start[queries[query]], query); });
    sort_by(ranges.on(track), [&](std::uint32_t row) { return std::tuple(timeline.start[row], -timeline.duration[row], row); });
    answer(timeline, ranges.on(track), asked.on(track), queries, open, answers);
  }
  return answers;
}

}  // namespace

std::vector<std::uint32_t> innermost_operator(const Timeline& timeline, const std::vector<std::uint32_t>& queries) {
  Operators is_operator(timeline);
  return innermost(timeline, queries, [&](auto take) {
    for (std::uint32_t row = 0; row < timeline.size(); ++row) {
      if (is_operator(row)) take(row);
    }
  });
}

std::vector<std::uint32_t> innermost_around(const Timeline& timeline, const std::vector<std::uint32_t>& ranges,
                                            const std::vector<std::uint32_t>& queries) {
  return innermost(timeline, queries, [&](auto take) {
    for (const std::uint32_t row : ranges) take(row);
  });
}

namespace {

// The captures of kernels, into the work, and the operators around them in place of those around the launches of the graphs.
void use_captures(const Timeline& timeline, Attribution& result) {
  if (timeline.captured.empty()) return;
  std::vector<std::uint32_t> captures, of_work;
  for (std::uint32_t i = 0; i < result.work.size(); ++i) {
    const auto at = std::ranges::lower_bound(timeline.captured, result.work[i].event, {}, &model::CapturedKernel::event);
    if (at == timeline.captured.end() || at->event != result.work[i].event) continue;
    result.work[i].capture = at->capture;
    captures.push_back(at->capture);
    of_work.push_back(i);
  }
  const std::vector<std::uint32_t> operators = innermost_operator(timeline, captures);
  for (std::size_t i = 0; i < of_work.size(); ++i) {
    if (operators[i] != none) result.work[of_work[i]].op = operators[i];
  }
}

}  // namespace

Attribution attribute(const Timeline& timeline) {
  Attribution result;
  result.work.reserve(static_cast<std::size_t>(std::ranges::count_if(timeline.kind, model::is_gpu_work)));
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (is_gpu_work(timeline.kind[row])) result.work.push_back({row, none, none, none});
  }
  const auto start_of = [&](const GpuWork& one) { return timeline.start[one.event]; };
  if (!std::ranges::is_sorted(result.work, {}, start_of)) std::ranges::stable_sort(result.work, {}, start_of);
  const Launches launches(timeline, result.work);
  launches.join(result.work);
  std::vector<std::uint32_t> calls, of_work;
  calls.reserve(result.work.size());
  of_work.reserve(result.work.size());
  for (std::uint32_t i = 0; i < result.work.size(); ++i) {
    if (result.work[i].launch == none) continue;
    calls.push_back(result.work[i].launch);
    of_work.push_back(i);
  }
  const std::vector<std::uint32_t> operators = innermost_operator(timeline, calls);
  for (std::size_t i = 0; i < of_work.size(); ++i) result.work[of_work[i]].op = operators[i];
  use_captures(timeline, result);
  for (const GpuWork& one : result.work) {
    if (timeline.kind[one.event] != EventKind::kernel) continue;
    ++result.kernels;
    result.kernels_with_launch += one.launch != none;
    result.kernels_with_op += one.op != none;
  }
  use_external_ids(timeline, launches, result);
  result.process_of_track = launches.process_of_track();
  return result;
}

}  // namespace frx::derive::trace
