#include "report/kernels/kernel_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "derive/compare/two_samples.h"
#include "diagnose/diagnosis.h"
#include "frx_generated/metric_ids.h"
#include "report/kernels/muda.h"
#include "report/kernels/roofline_position.h"
#include "report/report.h"

namespace frx::report {
namespace {

void put_value(model::full_profile::Number& field, double value) { field = value; }
void put_value(model::full_profile::Whole& field, double value) {
  constexpr double largest = 9e18;
  if (value >= 0 && value < largest) field = static_cast<std::uint64_t>(std::llround(value));
}

// Two-sided 95 % quantiles of Student for 1, 2, ... degrees of freedom; beyond, that of the normal distribution serves.
constexpr double student_975[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                  2.120,  2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
constexpr double normal_975 = 1.960;

// The kind of work, by name.
bool is(const knowledge::Knowledge& known, const std::string& kernel, std::string_view work) {
  const std::optional<std::size_t> bit = known.classes.with_name(work);
  return bit && (known.classes.of(kernel) >> *bit & 1u) != 0;
}

class Maker {
 public:
  Maker(ChosenLaunches chosen, const KernelProfileRequest& request, WorkModel work, const knowledge::Knowledge& known)
      : request_(request), work_(std::move(work)), known_(known), samples_(std::move(chosen.samples_us)) {
    result_.matches = std::move(chosen.matches);
  }

  Result<KernelProfile> make(model::Session session) {
    places_ = session.places;
    launches_ = static_cast<double>(session.launches);
    diagnose::Options options;
    options.gpu_model = request_.gpu_model;
    TRY_ASSIGN(run_, diagnose::diagnose(std::move(session), known_, options));
    profile().source = printable(run_.session.source);
    add_kernel();
    add_hardware();
    add_timing();
    add_measured();
    add_throughput();
    profile().muda = muda_of(kernel().findings, kernel().duration);
    result_.badges = badges_of(profile(), known_);
    add_notes();
    add_hints();
    return std::move(result_);
  }

 private:
  model::FullProfile& profile() { return result_.profile; }
  const diagnose::KernelDiagnosis& kernel() const { return run_.kernels.front(); }
  const model::Readings& readings() const { return kernel().readings; }

  void tell(std::string field, std::string source) { profile().provenance.emplace(std::move(field), printable(source)); }

  void add_kernel() {
    model::full_profile::ProfiledKernel& into = profile().kernel;
    const MatchedLaunches& used = result_.matches.front();
    into.name = printable(short_kernel_name(used.name));
    if (*into.name != printable(used.name)) into.full_name = printable(used.name);
    into.dimensions = work_.dimensions;
    into.launches = used.launches;
    const model::LaunchGroup& group = *kernel().groups.front().group;
    const auto put = [](const std::optional<model::Dim3>& shape, std::vector<std::uint32_t>& to) {
      if (shape) to.assign(shape->begin(), shape->end());
    };
    put(group.grid, into.grid);
    put(group.block, into.block);
    profile().gpu_compute.grid_dimensions = into.grid;
    profile().gpu_compute.block_dimensions = into.block;
  }

  void add_hardware() { describe_gpu(run_.device, profile()); }

  void add_timing() {
    model::full_profile::ProfiledTiming& into = profile().timing;
    const MatchedLaunches& used = result_.matches.front();
    if (used.timed_launches == 0) return;
    into.samples = samples_.empty() ? used.timed_launches : samples_.size();
    into.min_us = used.min_us;
    into.max_us = used.max_us;
    into.samples_us = samples_;
    const bool is_sum = samples_.empty() && used.total_us.has_value();
    into.wall_clock_time_us = is_sum ? *used.total_us / static_cast<double>(used.timed_launches) : used.median_us;
    const model::Reading* const duration = readings().find(metrics::kernel_duration);
    if (duration) {
      const std::string source = source_text(known_.metrics.named(metrics::kernel_duration, *duration), {run_.session.source, places_});
      tell("timing.wall_clock_time_us",
           *into.samples == 1 ? source
                              : fmt::format("{} of {}: {}", is_sum ? "mean" : "median", count_text(*into.samples, "launch"), source));
    }
    if (samples_.size() > 1) add_scatter(into);
  }

  void add_scatter(model::full_profile::ProfiledTiming& into) const {
    const auto n = static_cast<double>(samples_.size());
    const double mean = std::accumulate(samples_.begin(), samples_.end(), 0.0) / n;
    double squares = 0;
    for (const double sample : samples_) squares += (sample - mean) * (sample - mean);
    into.stddev_us = std::sqrt(squares / (n - 1));
    const std::size_t degrees = samples_.size() - 1;
    const double quantile = degrees <= std::size(student_975) ? student_975[degrees - 1] : normal_975;
    const double half = quantile * *into.stddev_us / std::sqrt(n);
    into.ci_95_low_us = mean - half;
    into.ci_95_high_us = mean + half;
  }

  // The first metric of a field that was measured counts.
  template <typename Field>
  void take(Field& field, std::string_view name, model::Metric metric, bool is_per_launch) {
    const model::Reading* const reading = readings().find(metric);
    if (field || !reading) return;
    const double launches = reading->launches > 0 ? reading->launches : launches_;
    put_value(field, is_per_launch ? reading->value / launches : reading->value);
    std::string source = source_text(known_.metrics.named(metric, *reading), {run_.session.source, places_});
    if (is_per_launch && launches > 1) source = fmt::format("sum of {:.0f} launches / {:.0f}: {}", launches, launches, source);
    if (field) tell(std::string(name), std::move(source));
  }

  void add_measured() {
#define FRX_MEASURED(section, field, metric) take(profile().section.field, #section "." #field, metrics::metric, false);
#define FRX_MEASURED_PER_LAUNCH(section, field, metric) take(profile().section.field, #section "." #field, metrics::metric, true);
#include "report/kernels/measured_fields.def"
    model::full_profile::Number rate;
    take(rate, "throughput.bandwidth_gbps", metrics::dram_bytes_per_second, false);
    if (rate) profile().throughput.bandwidth_gbps = *rate / 1e9;
  }

  // Of one launch: stated by the caller, else counted, else estimated where that is allowed.
  void add_operations() {
    model::full_profile::ProfiledThroughput& into = profile().throughput;
    if (!work_.operation.empty()) into.operation = work_.operation;
    if (work_.flops) {
      into.flops = work_.flops;
      into.flops_from = work_.from;
      return;
    }
    double counted = 0;
    for (const derive::CountedOperations& one : derive::counted_operations(readings())) counted += one.operations;
    if (counted > 0 && !may_have_done_more()) {
      into.flops = counted / launches_;
      into.flops_from = "counted";
      return;
    }
    const derive::RooflinePoint* const point = kernel().roofline.main();
    if (!request_.estimate || !point || kernel().roofline.basis != derive::Roofline::Basis::estimated || !kernel().duration) return;
    into.flops = point->achieved_tflops * 1e12 * *kernel().duration / 1e9 / launches_;
    into.flops_from = kernel().roofline.explanation;
    profile().estimated = true;
  }

  // A product on whose tensor cores nothing in the file tells anything: what was counted may be a small part.
  bool may_have_done_more() const {
    constexpr model::ComputeCapability first_with_tensor_cores{7, 0};
    const bool has_none = (run_.device.cc && *run_.device.cc < first_with_tensor_cores) ||
                          (run_.device.match.product && run_.device.match.product->no_tensor_cores);
    return !has_none && !readings().value(metrics::tensor_pct) && is(known_, result_.matches.front().name, "matrix");
  }

  void add_throughput() {
    add_operations();
    RooflineInput input;
    input.precision = precision_of(kernel(), readings());
    input.measured_clock_hz = readings().value(metrics::sm_frequency);
    add_roofline(run_.device, input, profile());
  }

  void add_notes() {
    std::vector<std::string>& notes = profile().notes;
    const auto add = [&](const std::string& note) { notes.push_back(printable(note)); };
    for (const std::string& note : run_.device.notes) add(note);
    for (const model::Note& note : run_.session.notes) add(note.text);
    const MatchedLaunches& used = result_.matches.front();
    if (result_.matches.size() > 1)
      add(fmt::format("{} of {} groups of launches {} used, the one that takes most time: {} {} {}", 1, result_.matches.size(), "is",
                      count_text(used.launches, "launch"), used.grid, used.block));
    if (samples_.empty() && used.timed_launches > 1) add("the file sums its launches up: the time is their mean, and there are no samples");
  }

  void add_hints() {
    const model::FullProfile& made = profile();
    std::vector<std::string>& hints = result_.hints;
    if (!made.hardware.gpu_id)
      hints.push_back(fmt::format("{}, so there are no peaks: --gpu-model NAME names the GPU (frx gpu list)",
                                  made.hardware.gpu ? fmt::format("nothing is known of {}", *made.hardware.gpu) : "the GPU is not known"));
    if (!made.throughput.flops && may_have_done_more() && !derive::counted_operations(readings()).empty())
      hints.emplace_back("operations of the tensor cores were not counted, so those of the other pipes are withheld");
    if (!made.throughput.flops)
      hints.emplace_back(
          "operations are not known: --flops EXPR or --shape M,N,K with --op states them, frx kernel profile -- COMMAND counts them");
    if (!made.throughput.dram_bytes) hints.emplace_back("bytes of DRAM are not in the file: frx kernel profile -- COMMAND counts them");
    if (made.throughput.flops && made.hardware.gpu_id && !made.roofline.precision)
      hints.emplace_back(
          "the precision of the operations is not known, so no peak applies: frx kernel profile -- COMMAND counts instructions");
  }

  const KernelProfileRequest& request_;
  WorkModel work_;
  const knowledge::Knowledge& known_;
  std::vector<double> samples_;
  model::Places places_ = model::Places::lines;
  double launches_ = 0;
  diagnose::RunDiagnosis run_;
  KernelProfile result_;
};

}  // namespace

const Badge* KernelProfile::badge(std::string_view field) const {
  const auto at = std::ranges::find(badges, field, &Badge::field);
  return at == badges.end() ? nullptr : &*at;
}

std::vector<Badge> badges_of(const model::FullProfile& profile, const knowledge::Knowledge& known) {
  constexpr double tensor = 50, warp = 95, coalescing = 60, l2 = 50;
  const std::string kernel = profile.kernel.full_name.value_or(profile.kernel.name.value_or(""));
  std::vector<Badge> badges;
  const auto add = [&](std::string_view field, std::string_view rule, const std::optional<double>& value, double threshold) {
    if (value) badges.push_back({field, rule, *value, threshold});
  };
  const std::optional<double>& tensor_use = profile.gpu_compute.tensor_core_utilization_pct;
  // A product that runs on other pipes has its own finding; here only tensor cores that work are judged.
  if (tensor_use.value_or(0) > 0 && (is(known, kernel, "matrix") || profile.throughput.operation == "gemm"))
    add("gpu_compute.tensor_core_utilization_pct", "tensor_utilization", tensor_use, tensor);
  add("gpu_compute.warp_execution_efficiency_pct", "warp_efficiency", profile.gpu_compute.warp_execution_efficiency_pct, warp);
  add("gpu_memory.global_load_efficiency_pct", "load_coalescing", profile.gpu_memory.global_load_efficiency_pct, coalescing);
  // What takes each element once finds nothing in L2, and need not.
  if (!is(known, kernel, "stream") && !is(known, kernel, "copy") && profile.throughput.operation != "elementwise")
    add("gpu_memory.l2_hit_rate_pct", "l2_hit_rate", profile.gpu_memory.l2_hit_rate_pct, l2);
  return badges;
}

Result<KernelProfile> kernel_profile_of(model::Session session, const KernelProfileRequest& request, const knowledge::Knowledge& known) {
  TRY_ASSIGN(WorkModel work, work_of(request.work));
  TRY_ASSIGN(ChosenLaunches chosen, choose_launches(std::move(session), request.name));
  model::Session alone = std::move(chosen.session);
  return Maker(std::move(chosen), request, std::move(work), known).make(std::move(alone));
}

Result<KernelProfile> static_kernel_profile(const KernelProfileRequest& request, const knowledge::Knowledge& known) {
  KernelProfile result;
  model::FullProfile& profile = result.profile;
  profile.source = "nothing was run";
  profile.kernel.name = printable(request.name);
  WorkRequest asked = request.work;
  // A product by its name, where its size is given: the one count that the reference prints.
  if (asked.operation.empty() && asked.flops.empty() && asked.size && is(known, request.name, "matrix")) asked.operation = "gemm";
  TRY_ASSIGN(const WorkModel work, work_of(asked));
  profile.kernel.dimensions = work.dimensions;
  if (!work.operation.empty()) profile.throughput.operation = work.operation;
  profile.throughput.flops = work.flops;
  if (work.flops) profile.throughput.flops_from = work.from;
  if (request.gpu_model.empty()) {
    result.hints.emplace_back("no GPU is named, so there is no ridge point: --gpu-model NAME (frx gpu list has the names)");
    return result;
  }
  TRY_ASSIGN(const derive::Device device, device_called(request.gpu_model, known));
  describe_gpu(device, profile);
  const std::optional<double> peak = device.peak_tflops(static_precision);
  profile.roofline.precision = static_precision;
  profile.roofline.peak_compute_tflops = peak;
  profile.roofline.peak_bandwidth_gbps = device.peak_gbps();
  if (peak && device.peak_gbps()) profile.roofline.ridge_point = *peak * 1e3 / *device.peak_gbps();
  if (request.estimate && work.flops && peak) {
    profile.estimated = true;
    profile.timing.wall_clock_time_us = *work.flops / (*peak * 1e6);
    profile.provenance["timing.wall_clock_time_us"] =
        fmt::format("estimated: the operations at the peak of {}, which no kernel exceeds", static_precision);
  }
  return result;
}

std::vector<std::string> counters_of_profile(const knowledge::MetricCatalogue& catalogue) {
  constexpr model::Metric wanted[] = {
#define FRX_MEASURED(section, field, metric) metrics::metric,
#define FRX_MEASURED_PER_LAUNCH(section, field, metric) metrics::metric,
#include "report/kernels/measured_fields.def"
      metrics::dram_bytes_per_second, metrics::sm_frequency, metrics::shared_memory_static, metrics::shared_memory_dynamic};
  std::vector<std::string> counters;
  for (const model::Metric metric : wanted) {
    const std::string counter(catalogue[metric].collect ? knowledge::counter_of(catalogue[metric]) : std::string_view());
    if (!counter.empty() && std::ranges::find(counters, counter) == counters.end()) counters.push_back(counter);
  }
  return counters;
}

}  // namespace frx::report
