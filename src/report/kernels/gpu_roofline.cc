#include "report/kernels/gpu_roofline.h"

#include "base/safe_text.h"

namespace frx::report {

Result<GpuRoofline> gpu_roofline_of(const derive::Device& device) {
  const knowledge::GpuProduct* const product = device.match.product;
  if (!product || device.match.is_mig)
    return fail(ErrorKind::not_enough, "the peaks of {} are not known: {}", printable(device.describe()),
                printable(device.match.explanation))
        .hint("--gpu-model with the name of one product: frx gpu list has them");
  GpuRoofline roofline{std::string(product->name),
                       std::string(product->id),
                       knowledge::to_string(product->cc),
                       printable(device.match.explanation),
                       product->boost_clock_mhz,
                       device.peak_gbps(),
                       printable(product->provenance("memory_bandwidth_gbps")),
                       {},
                       {}};
  for (const auto& [precision, tflops] : product->peaks_tflops) {
    GpuPeak peak{std::string(precision), tflops, {}, printable(product->provenance(precision))};
    if (roofline.bandwidth_gbps.value_or(0) > 0) peak.ridge = tflops * 1e3 / *roofline.bandwidth_gbps;
    roofline.peaks.push_back(std::move(peak));
  }
  return roofline;
}

void place_kernel(const std::string& file, const model::FullProfile& profile, GpuRoofline& roofline) {
  PlacedKernel placed;
  placed.file = printable(file);
  placed.name = printable(profile.kernel.name.value_or("unknown"));
  placed.intensity = profile.throughput.arithmetic_intensity;
  placed.tflops = profile.throughput.tflops;
  placed.efficiency_pct = profile.roofline.efficiency_pct;
  placed.precision = printable(profile.roofline.precision.value_or(""));
  placed.bound = printable(profile.roofline.bound.value_or(""));
  if (profile.estimated.value_or(false)) {
    placed.why_not = "it is an estimate";
  } else if (profile.hardware.gpu && *profile.hardware.gpu != roofline.gpu) {
    placed.why_not = "it was measured on " + printable(*profile.hardware.gpu);
  } else if (!placed.intensity || !placed.tflops) {
    placed.why_not = "its operations or its bytes are not known";
  }
  if (!placed.why_not.empty()) placed.intensity = placed.tflops = placed.efficiency_pct = std::nullopt;
  roofline.kernels.push_back(std::move(placed));
}

}  // namespace frx::report
