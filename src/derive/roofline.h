// Where a kernel stands under the roofline: operations done per byte moved, against the rates the
// device can sustain.
//
// Measured when the file holds operation counts, bytes and time; one point per precision and memory
// level. Without those counters tensor work of a known type is estimated from the utilisation of its
// pipes; of other work there is no arithmetic intensity. Percentages of peak still tell which side is
// busier, and that is said as an estimate. Peaks come from the file or from data/gpus; without
// a known GPU there is no ridge and no MFU.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/device.h"
#include "model/readings.h"

namespace frx::derive {

struct RooflinePoint {
  std::string_view precision;  // "fp32", "fp16_tensor"
  std::string_view level;      // "dram", "l2", "l1"
  double intensity = 0;        // operations per byte
  double achieved_tflops = 0;
  std::optional<double> peak_tflops;
  std::optional<double> peak_gbps;
  std::optional<double> ridge;           // operations per byte where the roofs meet
  std::optional<double> ceiling_tflops;  // min(peak, intensity x bandwidth)
  std::optional<double> of_ceiling_pct;
};

struct Roofline {
  enum class Basis { none, measured, estimated };

  Basis basis = Basis::none;
  std::string_view region;            // memory_bound, compute_bound, near_ridge, latency_bound or ""
  std::string explanation;            // how it was found, or what is missing
  std::vector<RooflinePoint> points;  // the dominant precision against DRAM first
  std::optional<double> mfu_pct;      // against the peak of the dominant precision
  std::optional<double> memory_utilization_pct;

  const RooflinePoint* main() const { return points.empty() ? nullptr : &points.front(); }
};

// `tensor_precision`: what the kernel's name says that its tensor work is of ("bf16_tensor"), or "". With it, tensor work whose operations
// were not counted is estimated from how busy the tensor pipes were, and said to be so.
Roofline roofline_of(const model::Readings& readings, const Device& device, std::string_view tensor_precision = "");

// Operations of one precision, over all launches.
struct CountedOperations {
  std::string_view precision;
  double operations = 0;
};
// What the counters say, the most first. Empty where none of them was collected, and where the tensor cores worked and their operations
// were not counted: what remains is a small part then.
std::vector<CountedOperations> counted_operations(const model::Readings& readings);

// Where so many operations and bytes in so many seconds stand. All three above 0; peaks only where the device is known.
RooflinePoint roofline_point(std::string_view precision, std::string_view level, double operations, double bytes, double seconds,
                             const Device& device);
// memory_bound, compute_bound, or near_ridge within a tenth of it; "" without a ridge.
std::string_view region_of(const RooflinePoint& point);

// How much a perfect version of this kernel could give back: documented as share x severity x gap.
// `runtime_share` is 0..1, absent when the file has no durations.
std::optional<double> opportunity_score(const model::Readings& readings, const Roofline& roofline, std::optional<double> runtime_share);
// high, medium, low or none. The limits differ with and without a runtime share.
std::string_view opportunity_label(std::optional<double> score, bool has_share);

}  // namespace frx::derive
