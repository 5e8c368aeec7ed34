#include "derive/trace/attribution.h"

#include <algorithm>
#include <unordered_map>

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

bool is_call(EventKind kind) { return kind == EventKind::runtime || kind == EventKind::driver; }

// Operators of the framework, and what the program named: a fused optimizer step has no operator in it.
bool is_operator(const Timeline& timeline, std::uint32_t row) {
  if (timeline.kind[row] == EventKind::cpu_op) return true;
  return timeline.kind[row] == EventKind::annotation && !timeline.name_of(row).starts_with("ProfilerStep#");
}

// Rows of calls by their correlation. Where a runtime call and the driver call in it share one, the outer one.
class Calls {
 public:
  explicit Calls(const Timeline& timeline) : timeline_(timeline) {
    for (std::uint32_t row = 0; row < timeline.size(); ++row) {
      if (is_call(timeline.kind[row]) && timeline.correlation[row] != Timeline::no_id) rows_.push_back(row);
    }
    const auto key = [&](std::uint32_t row) { return std::pair(timeline.correlation[row], timeline.start[row]); };
    if (!std::ranges::is_sorted(rows_, {}, key)) std::ranges::sort(rows_, {}, key);
  }

  std::uint32_t with(std::uint32_t correlation) const {
    if (correlation == Timeline::no_id) return none;
    const auto found = std::ranges::lower_bound(rows_, correlation, {}, [&](std::uint32_t row) { return timeline_.correlation[row]; });
    return found == rows_.end() || timeline_.correlation[*found] != correlation ? none : *found;
  }

 private:
  const Timeline& timeline_;
  std::vector<std::uint32_t> rows_;
};

// Operators by External id.
std::unordered_map<std::uint32_t, std::uint32_t> operators_by_id(const Timeline& timeline) {
  std::unordered_map<std::uint32_t, std::uint32_t> operators;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::cpu_op && timeline.external[row] != Timeline::no_id)
      operators.try_emplace(timeline.external[row], row);
  }
  return operators;
}

// Fills the gaps by External id when it agrees with 95 of 100 that are known.
void use_external_ids(const Timeline& timeline, Attribution& result) {
  constexpr std::uint64_t enough = 20;
  if (result.kernels_with_op == result.kernels) return;
  const auto operators = operators_by_id(timeline);
  const auto by_id = [&](const GpuWork& one) {
    const auto found = operators.find(timeline.external[one.event]);
    return timeline.external[one.event] == Timeline::no_id || found == operators.end() ? none : found->second;
  };
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

}  // namespace

std::vector<std::uint32_t> innermost_operator(const Timeline& timeline, const std::vector<std::uint32_t>& queries) {
  std::vector<std::uint32_t> operators;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (is_operator(timeline, row)) operators.push_back(row);
  }
  return innermost_around(timeline, operators, queries);
}

std::vector<std::uint32_t> innermost_around(const Timeline& timeline, const std::vector<std::uint32_t>& ranges,
                                            const std::vector<std::uint32_t>& queries) {
  struct Entry {
    std::uint32_t track;
    std::int64_t start, order;  // outer events first, queries behind what begins with them
    std::uint32_t row, query;
  };
  std::vector<Entry> entries;
  entries.reserve(ranges.size() + queries.size());
  for (const std::uint32_t row : ranges) entries.push_back({timeline.track[row], timeline.start[row], -timeline.duration[row], row, none});
  for (std::uint32_t i = 0; i < queries.size(); ++i) {
    entries.push_back({timeline.track[queries[i]], timeline.start[queries[i]], 1, queries[i], i});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(a.track, a.start, a.order, a.row) < std::tie(b.track, b.start, b.order, b.row);
  });
  std::vector<std::uint32_t> answers(queries.size(), none), open;
  std::uint32_t track = none;
  for (const Entry& entry : entries) {
    if (entry.track != track) open.clear();
    track = entry.track;
    // An event without a duration is around what begins with it.
    while (!open.empty() && timeline.end(open.back()) <= entry.start && timeline.start[open.back()] < entry.start) open.pop_back();
    if (entry.query == none) {
      open.push_back(entry.row);
    } else if (!open.empty()) {
      answers[entry.query] = open.back();
    }
  }
  return answers;
}

Attribution attribute(const Timeline& timeline) {
  Attribution result;
  const Calls calls(timeline);
  std::vector<std::uint32_t> launches, of_work;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (is_gpu_work(timeline.kind[row])) result.work.push_back({row, calls.with(timeline.correlation[row]), none});
  }
  std::ranges::stable_sort(result.work, {}, [&](const GpuWork& one) { return timeline.start[one.event]; });
  for (std::uint32_t i = 0; i < result.work.size(); ++i) {
    if (result.work[i].launch == none) continue;
    launches.push_back(result.work[i].launch);
    of_work.push_back(i);
  }
  const std::vector<std::uint32_t> operators = innermost_operator(timeline, launches);
  for (std::size_t i = 0; i < of_work.size(); ++i) result.work[of_work[i]].op = operators[i];
  for (const GpuWork& one : result.work) {
    if (timeline.kind[one.event] != EventKind::kernel) continue;
    ++result.kernels;
    result.kernels_with_launch += one.launch != none;
    result.kernels_with_op += one.op != none;
  }
  use_external_ids(timeline, result);
  return result;
}

}  // namespace frx::derive::trace
