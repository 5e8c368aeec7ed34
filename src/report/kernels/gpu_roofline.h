// The roofline of a GPU: peaks by precision, bandwidth, the ridge points between them, and where kernels stand that were profiled on it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "derive/device.h"
#include "model/full_profile.h"

namespace frx::report {

struct GpuPeak {
  std::string precision;  // "fp16_tensor", dense
  double tflops = 0;
  std::optional<double> ridge;  // operations per byte of DRAM
  std::string source;
};

struct PlacedKernel {
  std::string file, name;
  std::optional<double> intensity, tflops, efficiency_pct;
  std::string precision, bound;  // "" where it is not known
  std::string why_not;           // it has no place, in a sentence; else ""
};

struct GpuRoofline {
  std::string gpu, id, compute_capability, note;
  std::optional<double> boost_clock_mhz, bandwidth_gbps;
  std::string bandwidth_source;
  std::vector<GpuPeak> peaks;  // in the order of data/gpus
  std::vector<PlacedKernel> kernels;
};

// Not enough evidence: the peaks of the GPU are not known (its name fits none, or several, or it is a slice of one).
Result<GpuRoofline> gpu_roofline_of(const derive::Device& device);

// A profile of another GPU, of no known operations, and an estimate have no place.
void place_kernel(const std::string& file, const model::FullProfile& profile, GpuRoofline& roofline);

}  // namespace frx::report
