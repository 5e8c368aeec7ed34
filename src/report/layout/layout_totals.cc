#include "report/layout/layout_totals.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/intervals.h"
#include "derive/layout/forward_passes.h"

namespace frx::report {
namespace {

using derive::layout::Copy;
using derive::layout::LayoutTrace;

// Copies from and to the host run beside kernels, and are no work of the GPU itself.
double union_of_work(const LayoutTrace& trace) {
  std::map<std::int32_t, std::vector<Interval>> by_device;
  const model::Timeline& timeline = trace.timeline();
  for (std::uint32_t i = 0; i < trace.attribution().work.size(); ++i) {
    if (trace.step_of_work(i) == derive::layout::none) continue;
    const std::uint32_t event = trace.attribution().work[i].event;
    if (trace.is_transfer(event)) continue;
    by_device[timeline.tracks[timeline.track[event]].device].push_back({timeline.start[event], timeline.end(event)});
  }
  double busy = 0;
  for (auto& [device, intervals] : by_device) busy += static_cast<double>(total(united(std::move(intervals))));
  return busy;
}

std::uint64_t passes_in_steps(const LayoutTrace& trace) {
  const model::Timeline& timeline = trace.timeline();
  const auto is_in_step = [&](std::uint32_t row) { return trace.step_of_event(row) != derive::layout::none; };
  const std::vector<std::uint32_t> passes = derive::layout::forward_passes(timeline, derive::layout::PassesOf::all_threads, is_in_step);
  return passes.empty() ? trace.steps().size() : passes.size();
}

void add_copies(const LayoutTrace& trace, std::span<const Copy> copies, double least_coverage_pct, LayoutTotals& totals) {
  double count = 0, bytes = 0, time = 0, known_time = 0;
  for (const Copy& copy : copies) {
    if (!is_of_layout(copy.kind)) continue;
    count += 1;
    time += copy.time_ns * copy.layout_share();
    if (copy.bytes) known_time += copy.time_ns * copy.layout_share();
    bytes += copy.bytes.value_or(0) * copy.layout_share();
  }
  totals.copies = trace.per_step(count);
  totals.layout_time_us = trace.per_step(time) / 1000;
  totals.layout_bytes_partial = known_time < time;
  if (100 * known_time >= least_coverage_pct * time) totals.layout_bytes = trace.per_step(bytes);
}

void use_measured_bytes(const LayoutTrace& trace, std::span<const double> measured_bytes, std::vector<Copy>& copies,
                        derive::layout::WorkTraffic& traffic) {
  if (measured_bytes.empty()) return;
  const std::size_t count = trace.attribution().work.size();
  derive::layout::MeasuredTraffic measured{std::vector<double>(count, std::nan("")), std::vector<double>(count, std::nan(""))};
  std::size_t kernel = 0;
  for (std::size_t i = 0; i < count && kernel < measured_bytes.size(); ++i) {
    if (trace.timeline().kind[trace.attribution().work[i].event] != model::EventKind::kernel) continue;
    measured.bytes[i] = measured_bytes[kernel++];
  }
  derive::layout::replace_by_measured(traffic, measured);
  for (Copy& copy : copies) {
    double bytes = 0;
    for (const std::uint32_t work : copy.work) bytes += measured.bytes[work];
    if (!copy.work.empty() && !std::isnan(bytes)) copy.bytes = bytes;
  }
}

}  // namespace

std::optional<double> percent_of(std::optional<double> part, std::optional<double> whole) {
  return part && whole && *whole > 0 ? std::optional(100 * *part / *whole) : std::nullopt;
}

// Kernels by which libraries convert have bytes of their own, or none; no share of those of the convolution.
derive::layout::WorkTraffic layout_traffic(const LayoutTrace& trace, std::span<const double> measured_bytes, std::vector<Copy>& copies) {
  std::vector<std::uint32_t> conversions;
  for (const Copy& copy : copies) {
    if (copy.origin == derive::layout::CopyOrigin::library) conversions.insert(conversions.end(), copy.work.begin(), copy.work.end());
  }
  std::ranges::sort(conversions);
  derive::layout::WorkTraffic traffic = derive::layout::traffic_of_work(trace, conversions);
  for (const Copy& copy : copies) {
    if (copy.origin == derive::layout::CopyOrigin::library && copy.bytes)
      derive::layout::set_bytes(traffic, copy.work.front(), *copy.bytes);
  }
  use_measured_bytes(trace, measured_bytes, copies, traffic);
  return traffic;
}

LayoutTotals layout_totals(const LayoutTrace& trace, std::span<const Copy> copies, const derive::layout::WorkTraffic& traffic,
                           double least_coverage_pct) {
  LayoutTotals totals;
  totals.steps = trace.steps().size();
  totals.passes = passes_in_steps(trace);
  double calls = 0;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    if (trace.nodes()[node].step == derive::layout::none) continue;
    ++totals.operators;
    // Where nothing is inside of it, it found its tensor contiguous.
    calls += trace.name(node) == "aten::contiguous" && trace.nodes()[node].end > node + 1;
  }
  totals.contiguous_calls = trace.per_step(calls);
  double step_time = 0;
  for (const Interval& span : trace.steps().spans) step_time += static_cast<double>(span.length());
  totals.step_us = trace.per_step(step_time) / 1000;
  totals.busy_us = !trace.has_gpu_work() ? totals.step_us : trace.per_step(union_of_work(trace)) / 1000;
  add_copies(trace, copies, least_coverage_pct, totals);
  totals.knows_copies = trace.has_operators();
  // Without operators nothing is known of copies but those that the names of kernels tell.
  if (!totals.knows_copies) totals.layout_bytes.reset();
  if (totals.knows_copies || totals.copies > 0) totals.time_overhead_pct = percent_of(totals.layout_time_us, totals.busy_us);
  const derive::layout::TrafficTotals moved = derive::layout::totals_of(trace, traffic);
  if (const std::optional<double> covered = moved.coverage()) totals.coverage_pct = 100 * *covered;
  if (totals.coverage_pct.value_or(0) >= least_coverage_pct) {
    totals.bytes = moved.bytes_per_step;
    totals.bw_overhead_pct = percent_of(totals.layout_bytes, totals.bytes);
  }
  if (trace.has_gpu_work() && totals.step_us > 0 && !trace.steps().name.empty())
    totals.idle_pct = std::max(0.0, 100 * (1 - totals.busy_us / totals.step_us));
  return totals;
}

}  // namespace frx::report
