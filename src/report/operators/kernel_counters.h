// Counters of Nsight Compute at the kernels of a manifest, and those of an operator made of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "derive/compare/launch_join.h"
#include "knowledge/operator_counters.h"
#include "model/measured_launches.h"
#include "model/session.h"
#include "report/operators/operator_launches.h"
#include "report/operators/operator_manifest.h"

namespace frx::report {

// Which row of counters a kernel has.
struct KernelCounters {
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  std::uint32_t launch = none;  // of the measured ones
  derive::compare::MatchQuality quality = derive::compare::MatchQuality::exact;
  bool is_inferred = false;  // measured at the layer that stands for its own

  bool is_known() const { return launch != none; }
};

struct JoinedCounters {
  std::string source;  // the file of the counters
  std::shared_ptr<const model::MeasuredLaunches> measured;
  std::vector<KernelCounters> kernels;    // by kernel of the manifest
  std::vector<std::string> notes;         // what was not joined, and why
  double covered_pct = 0;                 // of the time of the kernels that count
  std::vector<std::string> names, units;  // by counter of `measured`
  Devices devices;                        // as the counters know them
};

// Duplicates of layers to the one that stands for them, as in NAME.part.json.
using LayerPartition = std::map<std::string, std::string>;
Result<LayerPartition> read_layer_partition(std::string_view name, std::string_view json);

// Finds the row of each kernel. Where layers are given and fewer launches were measured than recorded, kernels of duplicates get the
// counters of the layer that stands for them, unless their durations say that they did not do the same. Malformed, naming the file: it
// holds sums over launches instead of launches.
Result<JoinedCounters> join_counters(const OperatorManifest& manifest, const model::Session& profile,
                                     const knowledge::MetricCatalogue& metrics, const LayerPartition& layers = {});

// Sums, means and maxima over some kernels. A counter that no kernel has is absent; so are all where counters cover less than
// `least_covered_pct` (report/operators/operator_profile.h) of the time.
struct OperatorAggregate {
  double covered_pct = 0;                     // of the time of the kernels
  std::vector<std::optional<double>> values;  // by knowledge::OperatorCounters::counters
  bool is_withheld() const { return covered_pct < least_covered_pct; }
};
OperatorAggregate aggregate_of(const OperatorManifest& manifest, const std::vector<std::uint32_t>& kernels, const JoinedCounters& joined,
                               const knowledge::OperatorCounters& counters);

// The kernels of each row of a report, by the name of the row.
using GroupedKernels = std::unordered_map<std::string_view, std::vector<std::uint32_t>>;
// The kernels of the manifest are those of the profile.
GroupedKernels grouped_kernels(const OperatorManifest& manifest, const OperatorProfile& profile, OperatorGrouping grouping);
GroupedKernels grouped_kernels(const OperatorManifest& manifest);  // by operator

// The columns of counters and the measured launches of a report about these kernels, and what was not joined.
void add_counters(OperatorReport& report, const GroupedKernels& kernels, const OperatorManifest& manifest, const JoinedCounters& joined,
                  const knowledge::OperatorCounters& counters, const knowledge::MetricCatalogue& metrics);

}  // namespace frx::report
