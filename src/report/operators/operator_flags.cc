// What makes the times of operators mean something else than they seem to.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/intervals.h"
#include "base/text.h"
#include "base/units.h"
#include "derive/trace/judged_names.h"
#include "report/operators/operator_details.h"

namespace frx::report {
namespace {

using derive::trace::OperatorKernel;
using derive::trace::OperatorMethod;
using frx::Interval;
using model::EventKind;
using model::Timeline;

constexpr double percent = 100;

// The standard deviation of a sample, as a share of its mean.
double variation(const std::vector<double>& sample) {
  const double count = static_cast<double>(sample.size());
  double mean = 0, squares = 0;
  for (const double one : sample) mean += one / count;
  for (const double one : sample) squares += (one - mean) * (one - mean);
  return mean > 0 ? std::sqrt(squares / (count - 1)) / mean : 0;
}

// GPU time of each operator in each iteration of the measured window. An operator that is called in all of them, and takes a part of the
// time that matters, changes its work when its time does.
void add_dynamic_shapes(OperatorReport& report, const OperatorProfile& profile) {
  constexpr double limit_pct = 50, least_share = 0.01;
  std::set<std::uint32_t> iterations;
  std::map<std::string_view, std::map<std::uint32_t, double>> times;
  for (const OperatorKernel& kernel : profile.calls.kernels) {
    if (!kernel.iteration || kernel.method == OperatorMethod::before) continue;
    iterations.insert(*kernel.iteration);
    if (!derive::trace::is_attributed(kernel.method)) continue;
    times[profile.timeline.name_of(kernel.range)][*kernel.iteration] += static_cast<double>(profile.timeline.duration[kernel.event]);
  }
  if (iterations.size() < 2) return;
  OperatorFlag flag{"dynamic_shapes", false, 0, limit_pct, {}};
  for (const auto& [name, by_iteration] : times) {
    std::vector<double> sample;
    double sum = 0;
    for (const auto& [iteration, ns] : by_iteration) sum += sample.emplace_back(ns);
    if (sample.size() < iterations.size() || sum < least_share * static_cast<double>(report.kernel_ns)) continue;
    const double found = percent * variation(sample);
    if (found <= limit_pct || found <= flag.value) continue;
    flag.value = found;
    flag.text =
        fmt::format("the time of {} varies by {:.0f} % from iteration to iteration: shapes may change, so sums are of different work",
                    printable(name), found);
  }
  if (!flag.text.empty()) report.flags.push_back(std::move(flag));
}

// Kernels of one GPU that ran at the same time: their times add up to more than the time that passed.
void add_overlap(OperatorReport& report, const OperatorProfile& profile) {
  constexpr double limit_pct = 1;
  const Timeline& timeline = profile.timeline;
  std::map<std::pair<std::string, std::int32_t>, std::vector<Interval>> by_gpu;
  std::set<std::uint32_t> streams;
  std::int64_t sum = 0;
  for (const OperatorKernel& kernel : profile.calls.kernels) {
    if (kernel.method == OperatorMethod::before) continue;
    const model::Track& track = timeline.tracks[timeline.track[kernel.event]];
    by_gpu[{track.device < 0 ? track.pid : std::string(), track.device}].push_back(
        {timeline.start[kernel.event], timeline.end(kernel.event)});
    streams.insert(timeline.track[kernel.event]);
    sum += timeline.duration[kernel.event];
  }
  if (streams.size() < 2 || sum <= 0 || timeline.clock_broken) return;
  std::int64_t covered = 0;
  for (auto& [gpu, intervals] : by_gpu) covered += total(united(std::move(intervals)));
  const double pct = percent * static_cast<double>(sum - covered) / static_cast<double>(sum);
  if (pct <= limit_pct) return;
  report.flags.push_back(
      {"multi_stream_overlap", false, pct, limit_pct,
       fmt::format("kernels on {} overlap: {:.1f} % of their time is counted twice", count_text(streams.size(), "stream"), pct)});
}

void add_graphs(OperatorReport& report, const OperatorProfile& profile) {
  const Timeline& timeline = profile.timeline;
  derive::trace::JudgedNames is_launch(timeline, [](std::string_view name) { return contains_ignoring_case(name, "graphlaunch"); });
  std::uint64_t launches = 0, graphs = 0;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    graphs += timeline.kind[row] == EventKind::graph;
    if (timeline.kind[row] != EventKind::runtime && timeline.kind[row] != EventKind::driver) continue;
    launches += is_launch.holds_for(row);
  }
  launches = std::max(launches, graphs);
  if (launches == 0) return;
  report.flags.push_back({"cuda_graph_replay", false, static_cast<double>(launches), 0,
                          fmt::format("CUDA graphs were launched {}: their kernels are counted for what captured them, or for the launch",
                                      launches == 1 ? "once" : fmt::format("{} times", launches))});
}

}  // namespace

void add_flags(OperatorReport& report, const OperatorProfile& profile) {
  add_dynamic_shapes(report, profile);
  add_overlap(report, profile);
  add_graphs(report, profile);
}

}  // namespace frx::report
