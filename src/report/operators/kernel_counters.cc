#include "report/operators/kernel_counters.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "frx_generated/metric_ids.h"
#include "report/operators/inferred_counters.h"

namespace frx::report {
namespace {

using derive::compare::JoinedLaunch;
using derive::compare::LaunchJoin;
using derive::compare::LaunchMatch;
using derive::compare::MatchQuality;
using derive::compare::Unmatched;
using knowledge::OperatorCounter;
using model::MeasuredLaunch;
using model::MeasuredLaunches;

constexpr double usual_covered_pct = 95;             // below, it is said
constexpr double least_ratio = 0.3, most_ratio = 5;  // of the duration under ncu to that in the recording

JoinedLaunch launch_of(const OperatorManifest& manifest, const ManifestKernel& kernel) {
  JoinedLaunch launch;
  launch.name = manifest.name_of(kernel);
  if (kernel.mangled != ManifestKernel::none) launch.mangled = manifest.names[kernel.mangled];
  launch.grid = kernel.grid;
  launch.block = kernel.block;
  if (kernel.device >= 0) launch.device = kernel.device;
  if (kernel.stream >= 0) launch.stream = kernel.stream;
  launch.registers = kernel.registers;
  launch.dynamic_shared = kernel.dynamic_shared;
  return launch;
}

JoinedLaunch launch_of(const MeasuredLaunches& all, const MeasuredLaunch& measured) {
  JoinedLaunch launch;
  launch.name = all.names[measured.kernel];
  if (measured.mangled != MeasuredLaunches::no_name) launch.mangled = all.names[measured.mangled];
  launch.grid = measured.grid;
  launch.block = measured.block;
  if (measured.device) launch.device = *measured.device;
  if (measured.stream) launch.stream = static_cast<std::int64_t>(*measured.stream);
  const auto count = [&](model::Metric metric) -> std::optional<std::uint32_t> {
    const auto value = all.value_of(measured, metric);
    return value && *value < 4e9 ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  launch.registers = count(metrics::registers_per_thread);
  launch.dynamic_shared = count(metrics::shared_memory_dynamic);
  return launch;
}

class CounterJoin {
 public:
  CounterJoin(const OperatorManifest& manifest, const MeasuredLaunches& measured, const LayerPartition& layers)
      : manifest_(manifest), measured_(measured), layers_(layers) {}

  void into(JoinedCounters& joined) {
    choose_kernels();
    std::vector<JoinedLaunch> first, second;
    for (const std::uint32_t kernel : chosen_) first.push_back(launch_of(manifest_, manifest_.kernels[kernel]));
    for (const MeasuredLaunch& launch : measured_.launches) second.push_back(launch_of(measured_, launch));
    join_ = derive::compare::join_launches(first, second);
    joined.kernels.resize(manifest_.kernels.size());
    for (const LaunchMatch& match : join_.matches) joined.kernels[chosen_[match.first]] = {match.second, match.quality, false};
    if (!layers_.empty()) infer_counters(manifest_, layers_, joined);
    judge(joined);
  }

 private:
  // Where ncu left the duplicates of layers out, their kernels have no place in the sequence.
  void choose_kernels() {
    std::vector<std::uint32_t> without;
    for (std::uint32_t i = 0; i < manifest_.kernels.size(); ++i) {
      const ManifestKernel& kernel = manifest_.kernels[i];
      chosen_.push_back(i);
      if (kernel.layer == ManifestKernel::none || !layers_.contains(std::string(manifest_.names[kernel.layer]))) without.push_back(i);
    }
    const auto distance = [&](std::size_t size) {
      return size > measured_.launches.size() ? size - measured_.launches.size() : measured_.launches.size() - size;
    };
    if (distance(without.size()) < distance(chosen_.size())) chosen_ = std::move(without);
  }

  void judge(JoinedCounters& joined) const;
  void note_left_out(JoinedCounters& joined) const;
  void note_durations(JoinedCounters& joined) const;

  const OperatorManifest& manifest_;
  const MeasuredLaunches& measured_;
  const LayerPartition& layers_;
  std::vector<std::uint32_t> chosen_;  // kernels, in launch order
  LaunchJoin join_;
};

// Kernels before the measured window do not count: usually only the window is measured.
void CounterJoin::judge(JoinedCounters& joined) const {
  std::int64_t all = 0, covered = 0;
  std::uint64_t inferred = 0, doubtful = 0, by_name = 0;
  for (std::uint32_t i = 0; i < manifest_.kernels.size(); ++i) {
    const ManifestKernel& kernel = manifest_.kernels[i];
    const KernelCounters& counters = joined.kernels[i];
    inferred += counters.is_known() && counters.is_inferred;
    doubtful += counters.is_known() && counters.quality == MatchQuality::gap_run;
    by_name += counters.is_known() && counters.quality == MatchQuality::name_only;
    if (kernel.is_before_window) continue;
    all += kernel.duration_ns;
    if (counters.is_known()) covered += kernel.duration_ns;
  }
  joined.covered_pct = all > 0 ? 100.0 * static_cast<double>(covered) / static_cast<double>(all) : 0;
  const auto note = [&](bool is_so, std::string text) {
    if (is_so) joined.notes.push_back(std::move(text));
  };
  note(joined.covered_pct < usual_covered_pct,
       fmt::format("counters cover {:.1f} % of kernel time; operators of which they cover less than {:.0f} % show none", joined.covered_pct,
                   least_covered_pct));
  note_left_out(joined);
  note(doubtful > 0, fmt::format("{} beside equal launches that the other run has more or fewer of, so the row may be that of a neighbour",
                                 count_text(doubtful, "kernel")));
  note(by_name > 0, fmt::format("{} matched by name alone: the grid is not known on both sides", count_text(by_name, "kernel")));
  note(inferred > 0, fmt::format("{} with the counters of the layer that stands for theirs", count_text(inferred, "kernel")));
  note_durations(joined);
}

void CounterJoin::note_left_out(JoinedCounters& joined) const {
  const auto counts_of = [](const std::vector<Unmatched>& reasons, Unmatched reason) { return std::ranges::count(reasons, reason); };
  const auto note = [&](std::int64_t count, std::string_view of, std::string_view why) {
    if (count > 0) joined.notes.push_back(fmt::format("{} {}", count_text(static_cast<std::uint64_t>(count), std::string(of)), why));
  };
  note(counts_of(join_.first, Unmatched::unknown_name), "kernel", "without counters: no launch of that name was measured");
  note(counts_of(join_.first, Unmatched::other_shape), "kernel", "without counters: measured only with another grid or block");
  note(counts_of(join_.first, Unmatched::surplus), "kernel", "without counters: more of them were recorded than measured");
  note(counts_of(join_.second, Unmatched::unknown_name), "measured launch", "of kernels that were not recorded");
  note(counts_of(join_.second, Unmatched::other_shape), "measured launch", "with another grid or block than any that was recorded");
  note(counts_of(join_.second, Unmatched::surplus), "measured launch", "more than were recorded (warm-up?)");
}

// The clocks of the two runs may differ, and counters cost time, but not that much.
void CounterJoin::note_durations(JoinedCounters& joined) const {
  std::uint64_t odd = 0, timed = 0;
  for (std::uint32_t i = 0; i < manifest_.kernels.size(); ++i) {
    const KernelCounters& counters = joined.kernels[i];
    const auto recorded = static_cast<double>(manifest_.kernels[i].duration_ns);
    if (!counters.is_known() || counters.is_inferred || recorded <= 0) continue;
    const auto ns = measured_.value_of(measured_.launches[counters.launch], metrics::kernel_duration);
    if (!ns) continue;
    ++timed;
    odd += *ns < least_ratio * recorded || *ns > most_ratio * recorded;
  }
  if (odd > 0)
    joined.notes.push_back(
        fmt::format("{} of {} took less than {} or more than {} times as long under Nsight Compute: are the clocks locked, "
                    "and is it the same program?",
                    odd, count_text(timed, "kernel"), least_ratio, most_ratio));
}

std::optional<std::pair<double, model::Metric>> value_in(const JoinedCounters& joined, const KernelCounters& kernel,
                                                         const std::vector<model::Metric>& from) {
  const MeasuredLaunch& launch = joined.measured->launches[kernel.launch];
  for (const model::Metric metric : from) {
    if (const auto value = joined.measured->value_of(launch, metric)) return std::pair(*value, metric);
  }
  return std::nullopt;
}

struct Sample {
  double value, ns;
  std::optional<double> weight;
};

std::optional<double> combined(const std::vector<Sample>& samples, OperatorCounter::How how) {
  if (samples.empty()) return std::nullopt;
  double sum = 0, weights = 0, largest = samples.front().value, all = 0;
  const bool has_weights = std::ranges::all_of(samples, [](const Sample& one) { return one.weight.has_value(); });
  const bool is_weighted = has_weights && std::ranges::any_of(samples, [](const Sample& one) { return *one.weight > 0; });
  for (const Sample& one : samples) {
    const double weight = is_weighted ? *one.weight : one.ns;
    sum += one.value * weight;
    weights += weight;
    all += one.value;
    largest = std::max(largest, one.value);
  }
  if (how == OperatorCounter::How::sum) return all;
  if (how == OperatorCounter::How::max) return largest;
  return weights > 0 ? sum / weights : all / static_cast<double>(samples.size());  // without durations they count alike
}

// A launch that several kernels have their counters from, because their layers do the same, stands for each of them.
std::shared_ptr<const model::Session> launches_of(const std::vector<std::uint32_t>& kernels, const JoinedCounters& joined,
                                                  const knowledge::MetricCatalogue& metrics) {
  OperatorLaunches launches(joined.source, metrics);
  const MeasuredLaunches& measured = *joined.measured;
  for (const std::uint32_t kernel : kernels) {
    if (!joined.kernels[kernel].is_known()) continue;
    const MeasuredLaunch& launch = measured.launches[joined.kernels[kernel].launch];
    model::LaunchIdentity identity;
    identity.kernel = measured.names[launch.kernel];
    identity.grid = launch.grid;
    identity.block = launch.block;
    identity.device = launch.device;
    launches.begin(identity, joined.kernels[kernel].launch + 1);
    for (std::uint32_t i = 0; i < launch.value_count; ++i) {
      const MeasuredLaunches::Value& value = measured.values[launch.first_value + i];
      launches.set(measured.counters[value.counter].metric, value.value);
    }
  }
  return launches.is_empty() ? nullptr : launches.finish(joined.devices);
}

// What the file says of its GPUs, and what its launches say of theirs.
Devices devices_of(const model::Session& profile) {
  Devices devices = profile.devices;
  for (const model::Kernel& kernel : profile.kernels) {
    for (const model::LaunchGroup& group : kernel.groups) {
      model::DeviceFacts& device = devices[group.device.value_or(0)];
      if (!device.cc) device.cc = group.cc;
    }
  }
  return devices;
}

}  // namespace

Result<LayerPartition> read_layer_partition(std::string_view name, std::string_view json) {
  const nlohmann::json file = nlohmann::json::parse(json, nullptr, false);
  if (!file.is_object())
    return fail(ErrorKind::malformed, "expected duplicate layers, each with the one that stands for it, in JSON").at(std::string(name));
  LayerPartition layers;
  for (const auto& [duplicate, unique] : file.items()) {
    if (!unique.is_string())
      return fail(ErrorKind::malformed, "expected the name of a layer as {}", printable(duplicate)).at(std::string(name));
    layers[duplicate] = unique.get<std::string>();
  }
  return layers;
}

Result<JoinedCounters> join_counters(const OperatorManifest& manifest, const model::Session& profile,
                                     const knowledge::MetricCatalogue& metrics, const LayerPartition& layers) {
  if (profile.each->summaries > 0) {
    return fail(ErrorKind::malformed, "expected every launch by itself, found sums over launches")
        .at(profile.source)
        .hint("export without --print-summary: ncu --import report.ncu-rep --csv --page raw --print-units base");
  }
  JoinedCounters joined;
  joined.source = profile.source;
  joined.measured = profile.each;
  joined.devices = devices_of(profile);
  for (const MeasuredLaunches::Counter& counter : profile.each->counters) {
    const knowledge::MetricDefinition& metric = metrics[counter.metric];
    const std::string_view usual = knowledge::counter_of(metric).empty() ? metric.id : knowledge::counter_of(metric);
    joined.names.emplace_back(counter.name.empty() ? usual : std::string_view(counter.name));
    joined.units.emplace_back(metric.unit_text);
  }
  CounterJoin(manifest, *profile.each, layers).into(joined);
  for (const model::Note& note : profile.notes) joined.notes.push_back(fmt::format("{}: {}", profile.source, note.text));
  return joined;
}

OperatorAggregate aggregate_of(const OperatorManifest& manifest, const std::vector<std::uint32_t>& kernels, const JoinedCounters& joined,
                               const knowledge::OperatorCounters& counters) {
  OperatorAggregate aggregate;
  std::int64_t all = 0, covered = 0;
  for (const std::uint32_t kernel : kernels) {
    all += manifest.kernels[kernel].duration_ns;
    if (joined.kernels[kernel].is_known()) covered += manifest.kernels[kernel].duration_ns;
  }
  aggregate.covered_pct = all > 0 ? 100.0 * static_cast<double>(covered) / static_cast<double>(all) : 0;
  for (const OperatorCounter& counter : counters.counters) {
    std::vector<Sample> samples;
    for (const std::uint32_t kernel : kernels) {
      if (aggregate.is_withheld() || !joined.kernels[kernel].is_known()) continue;
      const auto value = value_in(joined, joined.kernels[kernel], counter.from);
      if (!value) continue;
      Sample sample{value->first, static_cast<double>(manifest.kernels[kernel].duration_ns), std::nullopt};
      if (counter.weight) {
        if (const auto weight = value_in(joined, joined.kernels[kernel], {*counter.weight})) sample.weight = weight->first;
      }
      samples.push_back(sample);
    }
    aggregate.values.push_back(combined(samples, counter.how));
  }
  return aggregate;
}

GroupedKernels grouped_kernels(const OperatorManifest& manifest, const OperatorProfile& profile, OperatorGrouping grouping) {
  GroupedKernels kernels;
  for (std::uint32_t i = 0; i < manifest.kernels.size(); ++i) {
    if (manifest.kernels[i].is_attributed()) kernels[operator_group_of(profile, i, grouping)].push_back(i);
  }
  return kernels;
}

GroupedKernels grouped_kernels(const OperatorManifest& manifest) {
  GroupedKernels kernels;
  for (std::uint32_t i = 0; i < manifest.kernels.size(); ++i) {
    if (manifest.kernels[i].is_attributed()) kernels[manifest.names[manifest.kernels[i].operators.front()]].push_back(i);
  }
  return kernels;
}

void add_counters(OperatorReport& report, const GroupedKernels& kernels, const OperatorManifest& manifest, const JoinedCounters& joined,
                  const knowledge::OperatorCounters& counters, const knowledge::MetricCatalogue& metrics) {
  for (OperatorSum& sum : report.operators) {
    const auto own = kernels.find(sum.name);
    if (own == kernels.end()) continue;
    const OperatorAggregate aggregate = aggregate_of(manifest, own->second, joined, counters);
    const auto value = [&](std::string_view member) -> std::optional<double> {
      const auto at = std::ranges::find(counters.counters, member, &OperatorCounter::member);
      return at == counters.counters.end() ? std::nullopt : aggregate.values[static_cast<std::size_t>(at - counters.counters.begin())];
    };
    sum.occupancy_pct = value("achieved_occupancy");
    sum.sm_pct = value("sm_throughput_pct");
    sum.dram_pct = value("dram_throughput_pct");
    if (!aggregate.is_withheld()) sum.launches = launches_of(own->second, joined, metrics);
  }
  report.notes.insert(report.notes.end(), joined.notes.begin(), joined.notes.end());
}

}  // namespace frx::report
