#include "derive/trace/self_times.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "derive/trace/counts.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::size_t most_operators = 1000;

struct OperatorSum {
  std::int64_t self_ns = 0, total_ns = 0;
  std::uint64_t calls = 0;
  std::uint32_t threads = 0;
  std::uint32_t last_thread = Timeline::no_id;
  std::int64_t open_until = 0;  // of its calls on that thread, the last end
};

// Walks the operators of one thread at a time.
class SelfTimeWalk {
 public:
  explicit SelfTimeWalk(const Timeline& timeline) : timeline_(timeline), sums_(timeline.names.size()) {}

  // `rows`: by start, the outer ones first. The time in which any of them is open.
  std::int64_t walk(std::uint32_t thread, std::span<const std::uint32_t> rows) {
    std::int64_t covered = 0;
    for (const std::uint32_t row : rows) {
      covered += advance(timeline_.start[row]);
      open(thread, row);
    }
    return covered + advance(INT64_MAX);
  }

  const std::vector<OperatorSum>& sums() const { return sums_; }

 private:
  // Gives the time up to `until` to the innermost of the open operators, and closes those that end by then.
  std::int64_t advance(std::int64_t until) {
    std::int64_t given = 0;
    while (!open_.empty()) {
      const std::uint32_t row = open_.back();
      OperatorSum& sum = sums_[timeline_.name[row]];
      // An operator that ends after the one around it leaves nothing to that.
      const std::int64_t to = std::max(now_, std::min(until, timeline_.end(row)));
      sum.self_ns += to - now_;
      given += to - now_;
      now_ = to;
      if (timeline_.end(row) > until) return given;
      open_.pop_back();
    }
    return given;
  }

  void open(std::uint32_t thread, std::uint32_t row) {
    OperatorSum& sum = sums_[timeline_.name[row]];
    ++sum.calls;
    const bool is_new_thread = sum.last_thread != thread;
    sum.threads += is_new_thread;
    sum.last_thread = thread;
    if (is_new_thread || timeline_.start[row] >= sum.open_until) sum.total_ns += timeline_.duration[row];
    sum.open_until = is_new_thread ? timeline_.end(row) : std::max(sum.open_until, timeline_.end(row));
    now_ = open_.empty() ? timeline_.start[row] : now_;
    open_.push_back(row);
  }

  const Timeline& timeline_;
  std::vector<OperatorSum> sums_;  // by name
  std::vector<std::uint32_t> open_;
  std::int64_t now_ = 0;
};

// Operators by thread (a track), in the order of the walk.
std::vector<std::vector<std::uint32_t>> operators_by_thread(const Timeline& timeline, std::int64_t rank) {
  std::vector<std::vector<std::uint32_t>> threads(timeline.tracks.size());
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::cpu_op && is_of_rank(timeline, row, rank)) threads[timeline.track[row]].push_back(row);
  }
  const auto order = [&](std::uint32_t row) { return std::tuple(timeline.start[row], -timeline.duration[row], row); };
  for (std::vector<std::uint32_t>& rows : threads) {
    if (!std::ranges::is_sorted(rows, {}, order)) std::ranges::sort(rows, {}, order);
  }
  return threads;
}

std::int64_t window_of(const Timeline& timeline, std::int64_t rank) {
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::window || timeline.kind[row] == EventKind::other || !is_of_rank(timeline, row, rank)) continue;
    first = std::min(first, timeline.start[row]);
    last = std::max(last, timeline.end(row));
  }
  return last > first ? last - first : 0;
}

// An operator or range of a library for GPUs, a GPU of the machine or memory of one; "": nothing.
std::string evidence_of_gpu(const Timeline& timeline) {
  constexpr std::string_view libraries[] = {"cudnn", "cublas", "miopen", "nccl", "rccl", "cuda", "triton_"};
  std::vector<bool> judged(timeline.names.size());  // and no evidence
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::cpu_op && timeline.kind[row] != EventKind::annotation) continue;
    if (judged[timeline.name[row]]) continue;
    judged[timeline.name[row]] = true;
    const std::string_view name = timeline.name_of(row);
    if (std::ranges::any_of(libraries, [&](std::string_view library) { return contains_ignoring_case(name, library); }))
      return std::string(name);
  }
  if (!timeline.facts.gpus.empty())
    return timeline.facts.gpus.front().name.empty() ? "a GPU of the machine" : timeline.facts.gpus.front().name;
  const bool has_memory = std::ranges::any_of(timeline.memory, [](const model::MemorySample& sample) { return sample.device >= 0; });
  return has_memory ? "memory of a GPU" : "";
}

void add_sums(const Timeline& timeline, const std::vector<OperatorSum>& sums, CpuTimes& times) {
  for (std::uint32_t name = 0; name < sums.size(); ++name) {
    const OperatorSum& sum = sums[name];
    if (sum.calls == 0) continue;
    times.operators.push_back({std::string(timeline.names[name]), sum.self_ns, sum.total_ns, sum.calls, sum.threads});
    times.operators_ns += sum.self_ns;
  }
  std::ranges::sort(times.operators, [](const SelfTime& a, const SelfTime& b) {
    return std::tuple(-a.self_ns, -a.total_ns, std::string_view(a.name)) < std::tuple(-b.self_ns, -b.total_ns, std::string_view(b.name));
  });
  times.operator_names = times.operators.size();
  times.operators.resize(std::min(most_operators, times.operators.size()));
}

}  // namespace

bool is_recording_of_cpu(const Timeline& timeline) {
  // The work of the GPU stands behind the operators in the file.
  if (timeline.untimed_kernels > 0 || timeline.cut_short) return false;
  bool has_operators = false;
  for (const EventKind kind : timeline.kind) {
    switch (kind) {
      case EventKind::cpu_op: has_operators = true; break;
      case EventKind::runtime:
      case EventKind::driver:
      case EventKind::kernel:
      case EventKind::memcpy:
      case EventKind::memset:
      case EventKind::graph:
      case EventKind::gpu_annotation:
      case EventKind::sync:
      case EventKind::foreign: return false;
      default: break;
    }
  }
  return has_operators;
}

CpuTimes self_times(const Timeline& timeline, std::int64_t rank) {
  CpuTimes times;
  SelfTimeWalk walk(timeline);
  const std::vector<std::vector<std::uint32_t>> threads = operators_by_thread(timeline, rank);
  for (std::uint32_t track = 0; track < threads.size(); ++track) {
    const std::vector<std::uint32_t>& rows = threads[track];
    if (rows.empty()) continue;
    const std::int64_t covered = walk.walk(track, rows);
    times.threads.push_back({timeline.tracks[track].pid, timeline.tracks[track].tid, covered, rows.size()});
  }
  std::ranges::stable_sort(times.threads, std::ranges::greater{}, &OperatorThread::operators_ns);
  add_sums(timeline, walk.sums(), times);
  times.window_ns = window_of(timeline, rank);
  times.gpu_evidence = evidence_of_gpu(timeline);
  return times;
}

}  // namespace frx::derive::trace
