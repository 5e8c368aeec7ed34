#include "derive/roofline.h"

#include <algorithm>

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

struct Precision {
  std::string_view name;     // also the key of the peak in data/gpus
  model::Metric operations;  // flop, summed over the launches
};

constexpr Precision precisions[] = {
    {"fp32", metrics::flops_fp32},
    {"fp64", metrics::flops_fp64},
    {"fp16", metrics::flops_fp16},
    {"fp16_tensor", metrics::tensor_ops_fp16},
    {"bf16_tensor", metrics::tensor_ops_bf16_fp32},
    {"tf32_tensor", metrics::tensor_ops_tf32},
    {"fp8_tensor", metrics::tensor_ops_fp8_dense},
    {"int8_tensor", metrics::tensor_ops_int8},
    {"fp64_tensor", metrics::tensor_ops_fp64},
};

struct Level {
  std::string_view name;
  model::Metric bytes;
};

constexpr Level levels[] = {{"dram", metrics::dram_bytes}, {"l2", metrics::l2_bytes}, {"l1", metrics::l1_bytes}};

// Within 10 % of the ridge both roofs matter.
constexpr double near_ridge = 0.10;
// Below this share of its peak no unit sets the pace (as in the labels of data/bottlenecks).
constexpr double busy_pct = 60;

RooflinePoint point(const Precision& precision, const Level& level, double operations, double bytes, double seconds, const Device& device) {
  RooflinePoint point;
  point.precision = precision.name;
  point.level = level.name;
  point.intensity = operations / bytes;
  point.achieved_tflops = operations / seconds / 1e12;
  point.peak_tflops = device.peak_tflops(precision.name);
  if (level.name == "dram") point.peak_gbps = device.peak_gbps();
  if (point.peak_tflops && point.peak_gbps) {
    point.ridge = *point.peak_tflops * 1e12 / (*point.peak_gbps * 1e9);
    point.ceiling_tflops = std::min(*point.peak_tflops, point.intensity * *point.peak_gbps / 1e3);
    if (*point.ceiling_tflops > 0) point.of_ceiling_pct = 100 * point.achieved_tflops / *point.ceiling_tflops;
  }
  return point;
}

void place_by_ridge(Roofline& roofline) {
  const RooflinePoint& main = roofline.points.front();
  if (!main.ridge) return;
  const double distance = main.intensity / *main.ridge;
  roofline.region = distance < 1 - near_ridge ? "memory_bound" : distance > 1 + near_ridge ? "compute_bound" : "near_ridge";
}

// The busier of the two sides, when something is busy at all.
void place_by_utilisation(Roofline& roofline, const model::Readings& readings) {
  const std::optional<double> memory = readings.value(metrics::bandwidth_pct);
  const std::optional<double> compute = readings.value(metrics::compute_pct);
  if (!memory || !compute) return;
  roofline.region = std::max(*memory, *compute) < busy_pct ? "latency_bound" : *memory >= *compute ? "memory_bound" : "compute_bound";
}

void measure(Roofline& roofline, const model::Readings& readings, const Device& device) {
  const std::optional<double> duration = readings.value(metrics::kernel_duration);
  if (!duration || *duration <= 0) return;
  std::vector<const Precision*> used;
  for (const Precision& precision : precisions) {
    if (readings.value(precision.operations).value_or(0) > 0) used.push_back(&precision);
  }
  std::sort(used.begin(), used.end(),
            [&](const Precision* a, const Precision* b) { return *readings.value(a->operations) > *readings.value(b->operations); });
  for (const Precision* precision : used) {
    for (const Level& level : levels) {
      const std::optional<double> bytes = readings.value(level.bytes);
      if (!bytes || *bytes <= 0) continue;
      roofline.points.push_back(point(*precision, level, *readings.value(precision->operations), *bytes, *duration / 1e9, device));
    }
  }
  if (roofline.points.empty()) return;
  roofline.basis = Roofline::Basis::measured;
  const RooflinePoint& main = roofline.points.front();
  if (main.peak_tflops) roofline.mfu_pct = 100 * main.achieved_tflops / *main.peak_tflops;
  roofline.explanation = "operations, bytes and time from the file";
  if (!main.peak_tflops) roofline.explanation += "; the GPU's peaks are not known, so no ridge and no MFU";
}

}  // namespace

Roofline roofline_of(const model::Readings& readings, const Device& device) {
  Roofline roofline;
  roofline.memory_utilization_pct = readings.value(metrics::dram_pct);
  measure(roofline, readings, device);
  if (roofline.basis == Roofline::Basis::measured) place_by_ridge(roofline);
  if (roofline.region.empty()) {
    place_by_utilisation(roofline, readings);
    if (roofline.basis == Roofline::Basis::none && !roofline.region.empty()) {
      roofline.basis = Roofline::Basis::estimated;
      roofline.explanation = "estimated from the percentages of peak: no operation counters in the file";
    }
  }
  if (roofline.basis == Roofline::Basis::none) {
    roofline.explanation = "neither operation and byte counters nor the utilisation of both sides are in the file";
  }
  return roofline;
}

std::optional<double> opportunity_score(const model::Readings& readings, const Roofline& roofline, std::optional<double> runtime_share) {
  const std::optional<double> busiest = readings.value(metrics::busiest_unit_pct);
  if (!roofline.mfu_pct && !busiest) return std::nullopt;
  // The gap to the roof that applies, as a fraction.
  const RooflinePoint* main = roofline.main();
  const double reached =
      main && main->of_ceiling_pct ? std::max(*main->of_ceiling_pct, busiest.value_or(0)) : busiest.value_or(roofline.mfu_pct.value_or(0));
  const double gap = std::clamp(1 - reached / 100, 0.0, 1.0);
  const std::optional<double> occupancy = readings.value(metrics::achieved_occupancy_pct);
  const std::optional<double> dram = readings.value(metrics::dram_pct);
  const double severity = roofline.region == "memory_bound"            ? 1.0
                          : roofline.mfu_pct && *roofline.mfu_pct < 20 ? 0.85
                          : occupancy && *occupancy < 30               ? 0.7
                          : dram && *dram > 60                         ? 0.65
                                                                       : 0.4;
  return runtime_share.value_or(1.0) * severity * gap;
}

std::string_view opportunity_label(std::optional<double> score, bool has_share) {
  if (!score || *score < 0.005) return "none";
  const double high = has_share ? 0.25 : 0.55;
  const double medium = has_share ? 0.08 : 0.25;
  return *score > high ? "high" : *score > medium ? "medium" : "low";
}

}  // namespace frx::derive
