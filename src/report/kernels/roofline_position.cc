#include "report/kernels/roofline_position.h"

#include <algorithm>
#include <cmath>

#include "base/safe_text.h"
#include "frx_generated/metric_ids.h"

namespace frx::report {
namespace {

constexpr double tensor_active_pct = 1;  // as in derive/roofline.cc: below it they do a small part of the operations

struct Busy {
  std::string_view precision;
  model::Metric metric;
};

// The kind of instruction or pipe that did most; "" where none was measured or all of them idled.
std::string_view busiest(const model::Readings& readings, std::initializer_list<Busy> candidates) {
  std::string_view found;
  double most = 0;
  for (const Busy& one : candidates) {
    const double value = readings.value(one.metric).value_or(0);
    if (value > most) {
      most = value;
      found = one.precision;
    }
  }
  return found;
}

void tell_peak(const derive::Device& device, std::string_view precision, model::FullProfile& profile) {
  if (!device.match.product) return;
  profile.provenance["roofline.peak_compute_tflops"] = printable(device.match.product->provenance(precision));
  profile.provenance["roofline.peak_bandwidth_gbps"] =
      device.attribute_gbps ? "attributes of the device in the file" : printable(device.match.product->provenance("memory_bandwidth_gbps"));
}

void add_ceilings(const derive::Device& device, const RooflineInput& input, model::FullProfile& profile) {
  model::full_profile::ProfiledRoofline& into = profile.roofline;
  into.peak_bandwidth_gbps = device.peak_gbps();
  if (input.measured_clock_hz) into.measured_clock_mhz = *input.measured_clock_hz / 1e6;
  const knowledge::GpuProduct* const product = device.match.product;
  if (product) into.boost_clock_mhz = product->boost_clock_mhz;
  if (input.precision.empty()) return;
  into.precision = input.precision;
  into.peak_compute_tflops = device.peak_tflops(input.precision);
  if (into.peak_compute_tflops) tell_peak(device, input.precision, profile);
  if (product && device.limits() && into.measured_clock_mhz && !device.match.is_mig)
    into.peak_at_measured_clock_tflops =
        knowledge::derived_peak_tflops(*product, *device.limits(), input.precision, into.measured_clock_mhz);
}

std::string_view bound_of(std::string_view region) {
  return region == "memory_bound" ? "memory" : region == "compute_bound" ? "compute" : region;
}

}  // namespace

std::string_view precision_of(const diagnose::KernelDiagnosis& kernel, const model::Readings& readings) {
  if (const auto counted = derive::counted_operations(readings); !counted.empty()) return counted.front().precision;
  if (kernel.roofline.main()) return kernel.roofline.main()->precision;
  const std::optional<double> tensor = readings.value(metrics::tensor_pct);
  if (tensor && *tensor >= tensor_active_pct) {
    if (!kernel.tensor_precision.empty()) return kernel.tensor_precision;
    return busiest(readings, {{"int8_tensor", metrics::pipe_tensor_op_imma_pct}, {"fp64_tensor", metrics::pipe_tensor_op_dmma_pct}});
  }
  const std::string_view by_threads =
      busiest(readings, {{"fp32", metrics::thread_inst_fp32}, {"fp64", metrics::thread_inst_fp64}, {"fp16", metrics::thread_inst_fp16}});
  if (!by_threads.empty() || !tensor) return by_threads;
  return busiest(readings, {{"fp32", metrics::pipe_fma_pct}, {"fp64", metrics::pipe_fp64_pct}, {"fp16", metrics::pipe_fp16_pct}});
}

Result<derive::Device> device_called(const std::string& gpu_model, const knowledge::Knowledge& known) {
  TRY(knowledge::match_option(known.gpus, gpu_model));
  return derive::find_device(model::Session(), model::Readings(), known.gpus, gpu_model);
}

void describe_gpu(const derive::Device& device, model::FullProfile& profile) {
  model::full_profile::ProfiledHardware& into = profile.hardware;
  const knowledge::GpuProduct* const product = device.match.product;
  if (product) {
    into.gpu = product->name;
    into.gpu_id = product->id;
    into.gpu_memory_gb = product->memory_gb;
  } else if (!device.name.empty()) {
    into.gpu = printable(device.name);
  }
  if (device.cc) into.gpu_sm = knowledge::to_string(*device.cc);
  into.gpu_bandwidth_gbps = device.peak_gbps();
  if (const std::string assumed = knowledge::assumption_of(device.match); !assumed.empty()) profile.notes.push_back(printable(assumed));
  if (into.gpu) profile.provenance["hardware.gpu"] = printable(device.origin);
  if (product && into.gpu_memory_gb) profile.provenance["hardware.gpu_memory_gb"] = printable(product->provenance("memory_gb"));
}

void add_roofline(const derive::Device& device, const RooflineInput& input, model::FullProfile& profile) {
  add_ceilings(device, input, profile);
  model::full_profile::ProfiledThroughput& rates = profile.throughput;
  const std::optional<double> time = profile.timing.wall_clock_time_us;
  const auto intensity = [&](const std::optional<double>& bytes) {
    return rates.flops && bytes && *bytes > 0 ? std::optional(*rates.flops / *bytes) : std::nullopt;
  };
  rates.arithmetic_intensity = intensity(rates.dram_bytes);
  rates.arithmetic_intensity_l2 = intensity(rates.l2_bytes);
  rates.arithmetic_intensity_l1 = intensity(rates.l1_bytes);
  if (time && *time > 0 && rates.dram_bytes && !rates.bandwidth_gbps) rates.bandwidth_gbps = *rates.dram_bytes / (*time * 1e3);
  if (!rates.flops || !time || *time <= 0) return;
  rates.tflops = *rates.flops / (*time * 1e6);
  rates.gflops = *rates.tflops * 1e3;
  profile.provenance["throughput.tflops"] = printable("computed: operations (" + rates.flops_from.value_or("") + ") / time");
  model::full_profile::ProfiledRoofline& into = profile.roofline;
  if (into.peak_compute_tflops) into.peak_fraction_pct = 100 * *rates.tflops / *into.peak_compute_tflops;
  if (!rates.arithmetic_intensity || input.precision.empty()) return;
  const derive::RooflinePoint point = derive::roofline_point(input.precision, "dram", *rates.flops, *rates.dram_bytes, *time / 1e6, device);
  into.ridge_point = point.ridge;
  into.attainable_tflops = point.ceiling_tflops;
  into.efficiency_pct = point.of_ceiling_pct;
  if (!point.ridge) return;
  into.bound = bound_of(derive::region_of(point));
  into.distance_to_ridge = *point.ridge / point.intensity;
  into.distance_log2 = std::log2(*into.distance_to_ridge);
}

}  // namespace frx::report
