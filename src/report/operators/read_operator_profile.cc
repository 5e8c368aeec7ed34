// Profiles of operators that were written before, by frx or another program, of schema 1.x.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "frx_generated/metric_ids.h"
#include "ingest/nsys/nvtx_text.h"
#include "report/operators/json_members.h"
#include "report/operators/operator_details.h"
#include "report/operators/operator_launches.h"
#include "report/operators/operator_profile.h"
#include "report/operators/operator_profile_json.h"

namespace frx::report {
namespace {

using Json = nlohmann::json;

// A mean weighted by time, over what has a value.
class Mean {
 public:
  void add(std::optional<double> value, std::int64_t ns) {
    if (!value || ns <= 0) return;
    sum_ += *value * static_cast<double>(ns);
    weight_ += static_cast<double>(ns);
  }
  std::optional<double> value() const { return weight_ > 0 ? std::optional(sum_ / weight_) : std::nullopt; }

 private:
  double sum_ = 0, weight_ = 0;
};

struct Columns {
  Mean occupancy, sm, dram;
};

struct Group {
  OperatorSum sum;
  Columns by_call;    // of the calls, as the file has them
  Columns by_kernel;  // of the kernels, where the file states units: also of calls that show none, because too little of them was measured
  Mean covered_pct;   // of the time, by counters; absent before 1.1
  std::unique_ptr<OperatorLaunches> launches;
  std::int64_t measured_ns = 0;  // of the kernels in it

  double covered() const {
    if (launches && sum.gpu_ns > 0) return 100.0 * static_cast<double>(measured_ns) / static_cast<double>(sum.gpu_ns);
    return covered_pct.value().value_or(100);
  }
};

constexpr int most_devices = 4096;

// Absent where it is no list of three whole numbers.
std::optional<model::Dim3> dimensions_of(const Json& kernel, const char* key) {
  const auto at = kernel.find(key);
  if (at == kernel.end() || !at->is_array() || at->size() != 3) return std::nullopt;
  model::Dim3 result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& one = (*at)[i];
    if (!one.is_number_unsigned() || one.get<std::uint64_t>() > INT32_MAX) return std::nullopt;
    result[i] = one.get<std::uint32_t>();
  }
  return result;
}

class ProfileReader {
 public:
  ProfileReader(std::string_view name, OperatorGrouping grouping, const knowledge::MetricCatalogue* metrics)
      : grouping_(grouping), metrics_(metrics) {
    report_.source = name;
  }

  Result<OperatorReport> read(const Json& profile);

 private:
  Failure malformed(std::string_view expected, const std::string& member) const {
    return fail(ErrorKind::malformed, "expected {} as {}", expected, printable(member)).at(report_.source);
  }
  Result<> take_operator(const Json& one, std::size_t number);
  // The kernels count for the group of this number, or for `share`.
  Result<> take_kernels(const Json& kernels, const std::string& member, std::string_view operation, std::size_t group,
                        KernelShare* share = nullptr);
  Result<> take_module_kernels(const Json& kernels, const std::string& member, std::string_view operation);
  void take_counters(const Json& kernel, const std::string& name, std::int64_t ns, Group& group);
  std::optional<model::Metric> metric_called(const std::string& name);
  std::size_t group_called(std::string_view name);
  std::size_t group_of(const Json& kernel, const std::string& name, std::size_t of_operator);
  void finish(Group& group);
  void add_notes();

  OperatorGrouping grouping_;
  const knowledge::MetricCatalogue* metrics_;
  Json units_;                                                                    // by name of a counter; null where the profile has none
  std::unordered_map<std::string, std::optional<model::Metric>> metric_by_name_;  // of the counters seen
  Devices devices_;
  OperatorReport report_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::set<std::int64_t> iterations_;
  PartSums parts_;
  bool has_counters_ = false;
  std::uint64_t layers_ = 0;
};

std::size_t ProfileReader::group_called(std::string_view name) {
  const auto [at, is_new] = by_name_.try_emplace(std::string(name), groups_.size());
  if (is_new) groups_.emplace_back().sum.name = name;
  return at->second;
}

// The group that a kernel counts for. Profiles before 1.1 do not say which modules were around an operator.
std::size_t ProfileReader::group_of(const Json& kernel, const std::string& name, std::size_t of_operator) {
  if (grouping_ == OperatorGrouping::by_operator) return of_operator;
  if (grouping_ == OperatorGrouping::by_kernel) return group_called(name);
  const std::string module = text_of(kernel, "module");
  return group_called(module.empty() ? "(no module)" : module);
}

Result<> ProfileReader::take_kernels(const Json& kernels, const std::string& member, std::string_view operation, std::size_t group,
                                     KernelShare* share) {
  if (!kernels.is_array()) return malformed("a list of kernels", member);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Json& kernel = kernels[i];
    const std::optional<double> ns = kernel.is_object() ? number_of(kernel, "duration_ns") : std::nullopt;
    constexpr double longest = 9e18;  // sums fit 64 bits
    if (!ns || *ns < 0 || *ns > longest - static_cast<double>(report_.kernel_ns))
      return malformed("a number of nanoseconds", fmt::format("{}[{}].duration_ns", member, i));
    const auto time = static_cast<std::int64_t>(*ns);
    ++report_.kernels;
    report_.kernel_ns += time;
    if (const auto number = number_of(kernel, "iteration")) iterations_.insert(static_cast<std::int64_t>(std::clamp(*number, 0.0, 1e15)));
    const std::string name = text_of(kernel, "kernel_name");
    if (share != &report_.before_window) parts_.add(operation, name, time);
    if (share) {
      ++share->kernels;
      share->gpu_ns += time;
      continue;
    }
    Group& counts_for = groups_[group_of(kernel, name, group)];
    take_counters(kernel, name, time, counts_for);
    OperatorSum& sum = counts_for.sum;
    ++sum.kernels;
    sum.gpu_ns += time;
    if (time > sum.longest_ns || sum.longest_kernel.empty()) {
      sum.longest_ns = time;
      sum.longest_kernel = name;
    }
  }
  return {};
}

// Numbers are in the unit of the metric only where the file says so.
std::optional<model::Metric> ProfileReader::metric_called(const std::string& name) {
  const auto [at, is_new] = metric_by_name_.try_emplace(name);
  if (!is_new) return at->second;
  std::optional<model::Metric> metric = metrics_->called("", name, std::nullopt);
  if (!metric) metric = metrics_->with_id(name);
  if (metric && text_of(units_, name.c_str()) == (*metrics_)[*metric].unit_text) at->second = metric;
  return at->second;
}

void ProfileReader::take_counters(const Json& kernel, const std::string& name, std::int64_t ns, Group& group) {
  if (!metrics_ || !units_.is_object()) return;
  const Json* const raw = object_in(object_in(&kernel, "metrics"), "raw");
  if (!raw || raw->empty()) return;
  model::LaunchIdentity identity;
  identity.kernel = name;
  identity.grid = dimensions_of(kernel, "grid_dim");
  identity.block = dimensions_of(kernel, "block_dim");
  if (const auto device = number_of(kernel, "device_id"); device && *device >= 0 && *device < most_devices)
    identity.device = static_cast<int>(*device);
  if (!group.launches) group.launches = std::make_unique<OperatorLaunches>(report_.source, *metrics_);
  group.launches->begin(identity, report_.kernels);
  group.measured_ns += ns;
  for (const auto& [counter, value] : raw->items()) {
    if (!value.is_number()) continue;
    const auto metric = metric_called(counter);
    if (!metric) continue;
    const auto number = value.get<double>();
    group.launches->set(*metric, number);
    if (*metric == metrics::achieved_occupancy_pct) group.by_kernel.occupancy.add(number, ns);
    if (*metric == metrics::sm_throughput_pct) group.by_kernel.sm.add(number, ns);
    if (*metric == metrics::dram_throughput_pct) group.by_kernel.dram.add(number, ns);
  }
  if (!report_.gpu.empty()) devices_[identity.device.value_or(0)].name = report_.gpu;
}

// A call of an operator is one of the module of its first kernel.
Result<> ProfileReader::take_module_kernels(const Json& kernels, const std::string& member, std::string_view operation) {
  TRY(take_kernels(kernels, member, operation, 0));
  if (!kernels.empty()) ++groups_[group_of(kernels.front(), "", 0)].sum.calls;
  return {};
}

Result<> ProfileReader::take_operator(const Json& one, std::size_t number) {
  const std::string member = fmt::format("operators[{}]", number);
  if (!one.is_object() || text_of(one, "operator_name").empty()) return malformed("a name", member + ".operator_name");
  if (!one.contains("kernels")) return malformed("a list of kernels", member + ".kernels");
  // Profiles of 1.0 have the whole text of the range as a name, with the numbers of the call.
  const std::string text = text_of(one, "operator_name");
  const std::string_view name = ingest::nsys::parse_nvtx(text).name;
  layers_ += name.starts_with("layer::");
  const std::int64_t so_far = report_.kernel_ns;
  if (grouping_ == OperatorGrouping::by_kernel) return take_kernels(one["kernels"], member + ".kernels", name, 0);
  if (grouping_ == OperatorGrouping::by_module) return take_module_kernels(one["kernels"], member + ".kernels", name);
  const std::size_t group = group_called(name);
  ++groups_[group].sum.calls;
  TRY(take_kernels(one["kernels"], member + ".kernels", name, group));
  const Json* const aggregated = object_in(&one, "aggregated");
  if (!aggregated) return {};
  const std::int64_t time = report_.kernel_ns - so_far;
  groups_[group].covered_pct.add(number_of(*aggregated, "counter_coverage_pct"), time);
  groups_[group].by_call.occupancy.add(number_of(*aggregated, "achieved_occupancy"), time);
  groups_[group].by_call.sm.add(number_of(*aggregated, "sm_throughput_pct"), time);
  groups_[group].by_call.dram.add(number_of(*aggregated, "dram_throughput_pct"), time);
  has_counters_ = has_counters_ || number_of(*aggregated, "achieved_occupancy").has_value();
  return {};
}

void ProfileReader::finish(Group& group) {
  if (group.covered() >= least_covered_pct) {
    const Columns& columns = group.launches ? group.by_kernel : group.by_call;
    group.sum.occupancy_pct = columns.occupancy.value();
    group.sum.sm_pct = columns.sm.value();
    group.sum.dram_pct = columns.dram.value();
    if (group.launches) group.sum.launches = group.launches->finish(devices_);
  }
  report_.operators.push_back(std::move(group.sum));
}

void ProfileReader::add_notes() {
  if (has_counters_ && !units_.is_object())
    report_.notes.push_back("the profile does not state the units of its counters (schema 1.0), so only percentages are shown");
  if (layers_ > 0) report_.notes.push_back(fmt::format("{} of its operators are ranges of layers, which are no operators", layers_));
}

Result<OperatorReport> ProfileReader::read(const Json& profile) {
  if (profile.is_object() && !profile.contains("operators") && profile.contains("kernels"))
    return malformed("a profile of operators, found a manifest,", "the file")
        .hint("frx operators map MANIFEST --ncu FILE makes a profile of it");
  if (!profile.is_object() || !profile.contains("operators")) return malformed("a profile of operators", "the file");
  report_.schema = text_of(profile, "schema_version");
  if (!report_.schema.starts_with("1."))
    return malformed(fmt::format("1.0 or a later 1.x, found '{}',", printable(report_.schema)), "schema_version");
  if (const auto capture = profile.find("capture_metadata"); capture != profile.end() && capture->is_object())
    report_.gpu = text_of(*capture, "device_name");
  if (profile.contains("units")) units_ = profile["units"];
  const Json& operators = profile["operators"];
  if (!operators.is_array()) return malformed("a list", "operators");
  for (std::size_t i = 0; i < operators.size(); ++i) TRY(take_operator(operators[i], i));
  if (profile.contains("unattributed_kernels"))
    TRY(take_kernels(profile["unattributed_kernels"], "unattributed_kernels", "", 0, &report_.unattributed));
  if (profile.contains("init_kernels") && !profile["init_kernels"].is_null())
    TRY(take_kernels(profile["init_kernels"], "init_kernels", "", 0, &report_.before_window));
  for (Group& group : groups_) finish(group);
  if (!iterations_.empty()) report_.iterations = iterations_.size();
  report_.parts = parts_.parts();
  std::ranges::stable_sort(report_.operators, std::ranges::greater{}, &OperatorSum::gpu_ns);
  add_notes();
  return std::move(report_);
}

}  // namespace

bool may_be_operator_profile(std::string_view head) {
  return head.find("\"schema_version\"") != head.npos && head.find("\"capture_metadata\"") != head.npos;
}

Result<Json> operator_profile_json(std::string_view name, std::string_view json) {
  Json profile = Json::parse(json, nullptr, false);
  if (profile.is_discarded()) return fail(ErrorKind::malformed, "expected a profile of operators in JSON").at(std::string(name));
  return profile;
}

Result<OperatorReport> operator_report_in(std::string_view name, const Json& profile, OperatorGrouping grouping,
                                          const knowledge::MetricCatalogue* metrics) {
  return ProfileReader(name, grouping, metrics).read(profile);
}

Result<OperatorReport> read_operator_profile(std::string_view name, std::string_view json, OperatorGrouping grouping,
                                             const knowledge::MetricCatalogue* metrics) {
  TRY_ASSIGN(const Json profile, operator_profile_json(name, json));
  return operator_report_in(name, profile, grouping, metrics);
}

}  // namespace frx::report
