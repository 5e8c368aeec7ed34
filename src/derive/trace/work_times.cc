#include "derive/trace/work_times.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "derive/trace/counts.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

// A model has tens to hundreds of kernels; a trace with more names was generated.
constexpr std::size_t top_operators = 10, top_kernels = 1000, most_operator_times = 2000;

struct Sum {
  std::int64_t gpu_ns = 0, shortest_ns = INT64_MAX, longest_ns = 0;
  std::uint64_t count = 0;
};

// The first `most` names by time; `name` gives that of a piece of work, or no_id.
template <typename Name>
std::vector<TimeOf> ranked(const Timeline& timeline, const Attribution& attribution, std::int64_t rank, std::size_t most, Name name,
                           std::uint64_t* names = nullptr) {
  std::vector<Sum> sums(timeline.names.size());
  for (const GpuWork& one : attribution.work) {
    const std::uint32_t id = name(one);
    if (id == Timeline::no_id || !is_of_rank(timeline, one.event, rank)) continue;
    Sum& sum = sums[id];
    const std::int64_t ns = timeline.duration[one.event];
    sum.gpu_ns += ns;
    sum.shortest_ns = std::min(sum.shortest_ns, ns);
    sum.longest_ns = std::max(sum.longest_ns, ns);
    ++sum.count;
  }
  std::vector<TimeOf> all;
  for (std::uint32_t id = 0; id < sums.size(); ++id) {
    const Sum& sum = sums[id];
    if (sum.count > 0) all.push_back({std::string(timeline.names[id]), sum.gpu_ns, sum.shortest_ns, sum.longest_ns, sum.count});
  }
  std::ranges::sort(all, [](const TimeOf& a, const TimeOf& b) { return a.gpu_ns != b.gpu_ns ? a.gpu_ns > b.gpu_ns : a.name < b.name; });
  if (names) *names = all.size();
  all.resize(std::min(most, all.size()));
  return all;
}

std::uint32_t shapes_of(const Timeline& timeline, std::uint32_t row) {
  const std::uint32_t* const at = std::ranges::lower_bound(timeline.shaped_events, row);
  if (at == timeline.shaped_events.end() || *at != row) return Timeline::no_id;
  return timeline.shapes_of[static_cast<std::size_t>(at - timeline.shaped_events.begin())];
}

std::string shapes_text(const Timeline& timeline, std::uint32_t shapes) {
  if (shapes == Timeline::no_id) return "";
  if (Timeline::is_hash_of_shapes(shapes)) return fmt::format("shapes #{:08x}", shapes);
  return uniform_shapes(timeline.shapes[shapes]);
}

// By name and shapes of the operator, 32 bits each.
using OperatorSums = std::unordered_map<std::uint64_t, Sum>;

OperatorSums operator_sums(const Timeline& timeline, const Attribution& attribution, std::int64_t rank) {
  const auto key_of = [](std::uint32_t name, std::uint32_t shapes) { return std::uint64_t{name} << 32 | shapes; };
  OperatorSums sums;
  for (const GpuWork& one : attribution.work) {
    if (!is_of_rank(timeline, one.event, rank)) continue;
    const bool has_operator = one.op != none;
    Sum& sum = sums[has_operator ? key_of(timeline.name[one.op], shapes_of(timeline, one.op)) : key_of(Timeline::no_id, Timeline::no_id)];
    sum.gpu_ns += timeline.duration[one.event];
    ++sum.count;
  }
  return sums;
}

// Rows beyond the limit of the list are merged into one, so that the sum is that of all.
void add_operators(const Timeline& timeline, const OperatorSums& sums, WorkTimes& times) {
  std::vector<std::pair<std::uint64_t, Sum>> all(sums.begin(), sums.end());
  std::ranges::sort(
      all, [](const auto& a, const auto& b) { return std::pair(-a.second.gpu_ns, a.first) < std::pair(-b.second.gpu_ns, b.first); });
  OperatorTime rest{std::string(work_of_other_operators), "", 0, 0};
  for (const auto& [key, sum] : all) {
    if (times.operator_times.size() < most_operator_times) {
      const auto name = static_cast<std::uint32_t>(key >> 32), shapes = static_cast<std::uint32_t>(key);
      times.operator_times.push_back({std::string(name == Timeline::no_id ? work_without_operator : timeline.names[name]),
                                      shapes_text(timeline, shapes), sum.gpu_ns, sum.count});
    } else {
      rest.gpu_ns += sum.gpu_ns;
      rest.count += sum.count;
    }
  }
  times.operator_times_cut = rest.count > 0;
  if (times.operator_times_cut) times.operator_times.push_back(std::move(rest));
}

}  // namespace

std::string uniform_shapes(std::string_view shapes) {
  std::string text;
  for (const char c : shapes) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') text += c;
    if (c == ',') text += ' ';
  }
  return text;
}

std::string input_shapes(const Timeline& timeline, std::uint32_t row) { return shapes_text(timeline, shapes_of(timeline, row)); }

WorkTimes work_times(const Timeline& timeline, const Attribution& attribution, const BackwardWork& backward, std::int64_t rank) {
  const auto name_at = [&](std::uint32_t row) { return row == none ? Timeline::no_id : timeline.name[row]; };
  WorkTimes times;
  times.top_operators = ranked(timeline, attribution, rank, top_operators, [&](const GpuWork& one) { return name_at(one.op); });
  const auto kernel = [&](const GpuWork& one) {
    return timeline.kind[one.event] == EventKind::kernel ? timeline.name[one.event] : Timeline::no_id;
  };
  times.top_kernels = ranked(timeline, attribution, rank, top_kernels, kernel, &times.kernel_names);
  times.top_backward = ranked(timeline, attribution, rank, top_operators, [&](const GpuWork& one) {
    return name_at(backward.forward[static_cast<std::size_t>(&one - attribution.work.data())]);
  });
  for (const GpuWork& one : attribution.work) {
    if (is_of_rank(timeline, one.event, rank)) times.all_work_ns += timeline.duration[one.event];
  }
  add_operators(timeline, operator_sums(timeline, attribution, rank), times);
  return times;
}

}  // namespace frx::derive::trace
