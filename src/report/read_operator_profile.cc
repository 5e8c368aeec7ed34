// Profiles of operators that were written before, by frx or another program, of schema 1.x.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "ingest/nsys/nvtx_text.h"
#include "report/json_members.h"
#include "report/operator_details.h"
#include "report/operator_profile.h"
#include "report/operator_profile_json.h"

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

struct Group {
  OperatorSum sum;
  Mean occupancy, sm, dram;
  Mean covered_pct;  // of the time, by counters; absent before 1.1
};

class ProfileReader {
 public:
  ProfileReader(std::string_view name, OperatorGrouping grouping) : grouping_(grouping) { report_.source = name; }

  Result<OperatorReport> read(const Json& profile);

 private:
  Failure malformed(std::string_view expected, const std::string& member) const {
    return fail(ErrorKind::malformed, "expected {} as {}", expected, printable(member)).at(report_.source);
  }
  static std::optional<double> number_of(const Json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
  }
  Result<> take_operator(const Json& one, std::size_t number);
  // The kernels count for the group of this number, or for `share`.
  Result<> take_kernels(const Json& kernels, const std::string& member, std::string_view operation, std::size_t group,
                        KernelShare* share = nullptr);
  std::size_t group_called(std::string_view name);
  void add_notes();

  OperatorGrouping grouping_;
  OperatorReport report_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::set<std::int64_t> iterations_;
  PartSums parts_;
  bool has_counters_ = false, has_units_ = false;
  std::uint64_t layers_ = 0;
};

std::size_t ProfileReader::group_called(std::string_view name) {
  const auto [at, is_new] = by_name_.try_emplace(std::string(name), groups_.size());
  if (is_new) groups_.emplace_back().sum.name = name;
  return at->second;
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
    OperatorSum& sum = groups_[grouping_ == OperatorGrouping::by_kernel ? group_called(name) : group].sum;
    ++sum.kernels;
    sum.gpu_ns += time;
    if (time > sum.longest_ns || sum.longest_kernel.empty()) {
      sum.longest_ns = time;
      sum.longest_kernel = name;
    }
  }
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
  // A profile does not say which modules were around an operator.
  const std::size_t group = group_called(grouping_ == OperatorGrouping::by_module ? "(no module)" : name);
  ++groups_[group].sum.calls;
  TRY(take_kernels(one["kernels"], member + ".kernels", name, group));
  const auto aggregated = one.find("aggregated");
  if (aggregated == one.end() || !aggregated->is_object()) return {};
  const std::int64_t time = report_.kernel_ns - so_far;
  groups_[group].covered_pct.add(number_of(*aggregated, "counter_coverage_pct"), time);
  groups_[group].occupancy.add(number_of(*aggregated, "achieved_occupancy"), time);
  groups_[group].sm.add(number_of(*aggregated, "sm_throughput_pct"), time);
  groups_[group].dram.add(number_of(*aggregated, "dram_throughput_pct"), time);
  has_counters_ = has_counters_ || number_of(*aggregated, "achieved_occupancy").has_value();
  return {};
}

void ProfileReader::add_notes() {
  if (has_counters_ && !has_units_)
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
  has_units_ = profile.contains("units") && profile["units"].is_object();
  const Json& operators = profile["operators"];
  if (!operators.is_array()) return malformed("a list", "operators");
  for (std::size_t i = 0; i < operators.size(); ++i) TRY(take_operator(operators[i], i));
  if (profile.contains("unattributed_kernels"))
    TRY(take_kernels(profile["unattributed_kernels"], "unattributed_kernels", "", 0, &report_.unattributed));
  if (profile.contains("init_kernels") && !profile["init_kernels"].is_null())
    TRY(take_kernels(profile["init_kernels"], "init_kernels", "", 0, &report_.before_window));
  for (Group& group : groups_) {
    if (group.covered_pct.value().value_or(100) >= least_covered_pct) {
      group.sum.occupancy_pct = group.occupancy.value();
      group.sum.sm_pct = group.sm.value();
      group.sum.dram_pct = group.dram.value();
    }
    report_.operators.push_back(std::move(group.sum));
  }
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

Result<OperatorReport> operator_report_in(std::string_view name, const Json& profile, OperatorGrouping grouping) {
  return ProfileReader(name, grouping).read(profile);
}

Result<OperatorReport> read_operator_profile(std::string_view name, std::string_view json, OperatorGrouping grouping) {
  const Json profile = Json::parse(json, nullptr, false);
  if (profile.is_discarded()) return fail(ErrorKind::malformed, "expected a profile of operators in JSON").at(std::string(name));
  return ProfileReader(name, grouping).read(profile);
}

}  // namespace frx::report
