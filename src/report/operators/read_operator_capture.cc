// The operators of a profile.json of schema 1.x in each iteration.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "ingest/nsys/nvtx_text.h"
#include "report/operators/capture_metadata.h"
#include "report/operators/json_members.h"
#include "report/operators/operator_capture.h"
#include "report/operators/operator_details.h"
#include "report/operators/operator_profile_json.h"

namespace frx::report {
namespace {

using Json = nlohmann::json;
using How = knowledge::OperatorCounter::How;

// A counter of some calls of an operator; values are weighted by the time of the calls.
class CounterSum {
 public:
  void add(How how, double value, double ns) {
    sum_ += how == How::mean ? value * ns : value;
    largest_ = std::max(largest_, value);
    covered_ns_ += ns;
  }
  // `ns`: of all calls. A mean may be that of most of the time; a sum or a maximum of a part is none.
  std::optional<double> value(How how, double ns, double iterations) const {
    constexpr double whole_pct = 99.9;
    const double least = how == How::mean ? least_covered_pct : whole_pct;
    if (covered_ns_ <= 0 || 100 * covered_ns_ < least * ns) return std::nullopt;
    return how == How::mean ? sum_ / covered_ns_ : how == How::max ? largest_ : sum_ / iterations;
  }

 private:
  double sum_ = 0, largest_ = 0, covered_ns_ = 0;
};

class CaptureReader {
 public:
  CaptureReader(OperatorCapture& capture, const knowledge::OperatorCounters& counters) : capture_(capture), counters_(counters) {}

  void read(const Json& profile) {
    for (const Json& one : profile["operators"]) take_operator(one);
    if (const auto kernels = profile.find("unattributed_kernels"); kernels != profile.end()) {
      for (const Json& kernel : *kernels) add(kernel, builder_.row_of_kernel(text_of(kernel, "kernel_name")));
    }
    if (const auto kernels = profile.find("init_kernels"); kernels != profile.end() && kernels->is_array()) {
      for (const Json& kernel : *kernels) {
        ++capture_.outside.kernels;
        capture_.outside.gpu_ns += time_of(kernel);
      }
    }
    give_counters();
    builder_.finish(capture_, has_iterations_ ? IterationSource::window : IterationSource::none);
  }

 private:
  void take_operator(const Json& one);
  void take_counters(const Json& aggregated, std::uint32_t row, double ns);
  void give_counters();
  void add(const Json& kernel, std::uint32_t row) {
    const std::optional<std::int64_t> iteration = whole_of(kernel, "iteration");
    has_iterations_ = has_iterations_ || iteration.has_value();
    if (iteration) iterations_.push_back(*iteration);
    builder_.add(row, iteration, time_of(kernel));
  }
  static std::int64_t time_of(const Json& kernel) { return static_cast<std::int64_t>(number_of(kernel, "duration_ns").value_or(0)); }

  OperatorCapture& capture_;
  const knowledge::OperatorCounters& counters_;
  CaptureBuilder builder_;
  std::vector<std::vector<CounterSum>> sums_;  // by row and counter; empty where there are none
  std::vector<double> ns_;                     // by row
  std::vector<std::int64_t> iterations_;
  bool has_iterations_ = false;
};

// Profiles of 1.0 have the whole text of the range as a name; in others its range has the shapes.
void CaptureReader::take_operator(const Json& one) {
  const std::string text = text_of(one, "operator_name");
  const ingest::nsys::NvtxText name = ingest::nsys::parse_nvtx(text);
  const auto range = one.find("nvtx_range");
  const std::string range_text = range == one.end() ? std::string() : text_of(*range, "text");
  const ingest::nsys::NvtxText named = ingest::nsys::parse_nvtx(range_text);
  const std::string_view shapes = !name.sizes.empty() ? name.sizes : named.name == name.name ? named.sizes : std::string_view();
  const Json& kernels = one["kernels"];
  const bool is_scope =
      !kernels.empty() && std::ranges::all_of(kernels, [](const Json& kernel) { return text_of(kernel, "confidence") == "low"; });
  const std::uint32_t row =
      is_scope ? builder_.row_of_kernel(text_of(kernels.front(), "kernel_name"), name.name) : builder_.row(name.name, shapes);
  double ns = 0;
  for (const Json& kernel : kernels) {
    add(kernel, is_scope ? builder_.row_of_kernel(text_of(kernel, "kernel_name"), name.name) : row);
    ns += static_cast<double>(time_of(kernel));
  }
  if (const auto fused = one.find("fused_with"); fused != one.end() && fused->is_array()) {
    std::vector<std::string>& with = builder_.at(row).fused_with;
    for (const Json& part : *fused) {
      if (part.is_string() && with.size() < 100 && std::ranges::find(with, part.get<std::string>()) == with.end())
        with.push_back(part.get<std::string>());
    }
  }
  if (const Json* const aggregated = object_in(&one, "aggregated")) take_counters(*aggregated, row, ns);
  ns_.resize(std::max<std::size_t>(ns_.size(), row + 1));
  ns_[row] += ns;
}

void CaptureReader::take_counters(const Json& aggregated, std::uint32_t row, double ns) {
  sums_.resize(std::max<std::size_t>(sums_.size(), row + 1));
  for (std::size_t i = 0; i < counters_.counters.size(); ++i) {
    const knowledge::OperatorCounter& counter = counters_.counters[i];
    if (counter.how != How::mean && !capture_.has_units) continue;  // of an unknown unit
    const auto value = number_of(aggregated, std::string(counter.member).c_str());
    if (!value) continue;
    sums_[row].resize(counters_.counters.size());
    sums_[row][i].add(counter.how, *value, ns);
  }
}

void CaptureReader::give_counters() {
  std::ranges::sort(iterations_);
  const auto twins = std::ranges::unique(iterations_);
  const auto count = static_cast<double>(std::max<std::ptrdiff_t>(1, twins.begin() - iterations_.begin()));
  for (std::uint32_t row = 0; row < sums_.size(); ++row) {
    for (std::size_t i = 0; i < sums_[row].size(); ++i)
      builder_.at(row).counters.push_back(sums_[row][i].value(counters_.counters[i].how, ns_[row], count));
  }
}

}  // namespace

Result<OperatorCapture> read_operator_capture(std::string_view name, std::string_view json, const knowledge::OperatorCounters& counters) {
  TRY_ASSIGN(const Json profile, operator_profile_json(name, json));
  TRY_ASSIGN(OperatorReport report, operator_report_in(name, profile, OperatorGrouping::by_operator));
  add_unattributed_flag(report, "");
  OperatorCapture capture;
  capture.source = name;
  capture.kind = fmt::format("profile of schema {}", report.schema);
  if (const auto facts = profile.find("capture_metadata"); facts != profile.end()) read_capture(*facts, capture.facts);
  capture.flags = std::move(report.flags);
  capture.has_units = object_in(&profile, "units") != nullptr;
  CaptureReader(capture, counters).read(profile);
  return capture;
}

}  // namespace frx::report
