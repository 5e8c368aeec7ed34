#include "ingest/nsys/gpu_metrics.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/intervals.h"

namespace frx::ingest::nsys {
namespace {

using model::GpuMetric;
using model::Timeline;

constexpr double most_value = 1e18;

// When kernels ran on each GPU.
std::map<std::int32_t, Intervals> busy_times(const Timeline& timeline) {
  std::map<std::int32_t, std::vector<Interval>> kernels;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == model::EventKind::kernel)
      kernels[timeline.tracks[timeline.track[row]].device].push_back({timeline.start[row], timeline.end(row)});
  }
  for (auto& [device, intervals] : kernels) intervals = united(std::move(intervals));
  return kernels;
}

// The lowest byte of a type is the number of the GPU.
std::int32_t gpu_of(std::int64_t type) { return static_cast<std::int32_t>(type & 0xFF); }

class Sums {
 public:
  explicit Sums(const Timeline& timeline) : busy_(busy_times(timeline)) {}

  void name(std::int64_t type, std::int64_t metric, std::string_view name) {
    if (name.empty() || sums_.size() >= most_metrics) return;
    const auto [at, is_new] = by_id_.try_emplace({gpu_of(type), metric}, sums_.size());
    if (is_new) sums_.push_back({gpu_of(type), std::string(name), 0, 0, 0, 0, 0});
  }

  void add(std::int64_t time, std::int64_t type, std::int64_t metric, double value) {
    const auto at = by_id_.find({gpu_of(type), metric});
    if (at == by_id_.end()) return;
    Sum& sum = sums_[at->second];
    sum.largest = sum.samples == 0 ? value : std::max(sum.largest, value);
    ++sum.samples;
    sum.total += value;
    if (!is_busy(sum.device, time)) return;
    ++sum.busy_samples;
    sum.busy_total += value;
  }

  std::vector<GpuMetric> metrics() const {
    std::vector<GpuMetric> found;
    for (const Sum& one : sums_) {
      if (one.samples == 0) continue;
      GpuMetric& metric = found.emplace_back();
      metric.device = one.device;
      metric.name = one.name;
      metric.samples = one.samples;
      metric.mean = one.total / static_cast<double>(one.samples);
      metric.largest = one.largest;
      metric.busy_samples = one.busy_samples;
      if (one.busy_samples > 0) metric.busy_mean = one.busy_total / static_cast<double>(one.busy_samples);
    }
    std::ranges::stable_sort(found, {}, &GpuMetric::device);
    return found;
  }

 private:
  struct Sum {
    std::int32_t device = 0;
    std::string name;
    std::uint64_t samples = 0, busy_samples = 0;
    double total = 0, busy_total = 0, largest = 0;
  };

  bool is_busy(std::int32_t device, std::int64_t time) const {
    const auto times = busy_.find(device);
    if (times == busy_.end()) return false;
    const auto after = std::ranges::upper_bound(times->second, time, {}, &Interval::begin);
    return after != times->second.begin() && std::prev(after)->end > time;
  }

  std::map<std::int32_t, Intervals> busy_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::size_t> by_id_;  // GPU and number of the metric
  std::vector<Sum> sums_;
};

}  // namespace

Result<std::vector<GpuMetric>> read_gpu_metrics(const Database& database, const Timeline& timeline) {
  if (!database.has_table("GPU_METRICS")) return std::vector<GpuMetric>();
  Sums sums(timeline);
  TRY(database.each_row("TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}, [&](const Row& row) {
    if (row.integer(0) && row.integer(1)) sums.name(*row.integer(0), *row.integer(1), row.text(2));
  }));
  TRY(database.each_row("GPU_METRICS", {"timestamp", "typeId", "metricId", "value"}, [&](const Row& row) {
    const std::optional<double> value = row.real(3);
    const bool is_number = value && std::abs(*value) <= most_value;
    if (row.integer(0) && row.integer(1) && row.integer(2) && is_number)
      sums.add(*row.integer(0), *row.integer(1), *row.integer(2), *value);
  }));
  return sums.metrics();
}

}  // namespace frx::ingest::nsys
