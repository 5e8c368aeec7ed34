#include "derive/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

// Operations that share a peak.
struct Precision {
  std::string_view name;                 // also the key of the peak in data/gpus
  std::array<model::Metric, 2> counted;  // flop, summed over the launches; twice the same where there is one counter
  bool is_tensor = false;

  std::optional<double> operations(const model::Readings& readings) const {
    const std::optional<double> one = readings.value(counted[0]);
    if (counted[0] == counted[1]) return one;
    const std::optional<double> other = readings.value(counted[1]);
    return one || other ? std::optional(one.value_or(0) + other.value_or(0)) : std::nullopt;
  }
};

constexpr Precision precisions[] = {
    {"fp32", {metrics::flops_fp32, metrics::flops_fp32}},
    {"fp64", {metrics::flops_fp64, metrics::flops_fp64}},
    {"fp16", {metrics::flops_fp16, metrics::flops_fp16}},
    {"fp16_tensor", {metrics::tensor_ops_fp16, metrics::tensor_ops_fp16}, true},
    {"bf16_tensor", {metrics::tensor_ops_bf16_fp32, metrics::tensor_ops_bf16_bf16}, true},
    {"tf32_tensor", {metrics::tensor_ops_tf32, metrics::tensor_ops_tf32}, true},
    // What a sparse product skips is not done: the dense peak bounds both.
    {"fp8_tensor", {metrics::tensor_ops_fp8_dense, metrics::tensor_ops_fp8_sparse}, true},
    {"int8_tensor", {metrics::tensor_ops_int8, metrics::tensor_ops_int8}, true},
    {"fp64_tensor", {metrics::tensor_ops_fp64, metrics::tensor_ops_fp64}, true},
};

struct Level {
  std::string_view name;
  model::Metric bytes;
};

constexpr Level levels[] = {{"dram", metrics::dram_bytes}, {"l2", metrics::l2_bytes}, {"l1", metrics::l1_bytes}};

// Within 10 % of the ridge both roofs matter.
constexpr double near_ridge = 0.10;
// From this activity on the tensor cores do most of a kernel's operations: a hundredth of their peak is a sixth of that of FP32 and more.
constexpr double tensor_active_pct = 1;
// Below this share of its peak no unit sets the pace (as in the labels of data/bottlenecks).
constexpr double busy_pct = 60;

void place_by_ridge(Roofline& roofline) { roofline.region = region_of(roofline.points.front()); }

// The busier of the two sides, when something is busy at all.
void place_by_utilisation(Roofline& roofline, const model::Readings& readings) {
  const std::optional<double> shared = readings.value(metrics::bandwidth_pct);
  const std::optional<double> compute = readings.value(metrics::compute_pct);
  if (!shared || !compute) return;
  // L1 belongs to each SM, and a kernel whose L1 is at its limit waits for memory as well.
  const std::optional<double> memory = std::max(*shared, readings.value(metrics::l1_pct).value_or(0));
  roofline.region = std::max(*memory, *compute) < busy_pct ? "latency_bound" : *memory >= *compute ? "memory_bound" : "compute_bound";
}

// The tensor cores worked, and none of the counters of what they did is in the file: what remains is a small part of the operations.
bool leaves_out_tensor_work(const model::Readings& readings) {
  if (readings.value(metrics::tensor_pct).value_or(0) < tensor_active_pct) return false;
  return std::ranges::none_of(
      precisions, [&](const Precision& precision) { return precision.is_tensor && precision.operations(readings).value_or(0) > 0; });
}

// Operations per second of full tensor pipes, and where that is from.
struct TensorRate {
  double per_second = 0;
  std::string source;
};

// Multiply-adds of an SM in a clock. Products of one compute capability differ in it, except for those made for data centres.
std::optional<double> tensor_rate_of_sm(const Device& device, std::string_view precision) {
  if (!device.limits()) return std::nullopt;
  if (device.match.product) {
    const std::optional<double> own = device.match.product->fma_override[precision];
    return own ? own : device.limits()->fma_per_sm_clock[precision];
  }
  return device.limits()->has("fp64_full_rate") ? device.limits()->fma_per_sm_clock[precision] : std::nullopt;
}

// By the clock of this launch where it is known: the peak of a data sheet is of the boost clock.
std::optional<TensorRate> full_tensor_rate(const model::Readings& readings, const Device& device, std::string_view precision) {
  const std::optional<double> clock = readings.value(metrics::sm_frequency), per_clock = tensor_rate_of_sm(device, precision);
  if (clock && per_clock && device.sm_count && !device.match.is_mig) {
    return TensorRate{2 * *per_clock * *device.sm_count * *clock,
                      fmt::format("{:.0f} operations per clock and SM at {:.2f} GHz", 2 * *per_clock, *clock / 1e9)};
  }
  const std::optional<double> peak = device.peak_tflops(precision);
  return peak ? std::optional(TensorRate{*peak * 1e12, fmt::format("the peak of {:.0f} TFLOP/s", *peak)}) : std::nullopt;
}

// What the tensor pipes can have done in the time in which they were busy. Work of other pipes is a small part beside it.
bool estimate_tensor_work(Roofline& roofline, const model::Readings& readings, const Device& device, std::string_view name) {
  const auto precision = std::ranges::find(precisions, name, &Precision::name);
  const std::optional<double> busy = readings.value(metrics::tensor_cycles_gpu_pct);
  if (precision == std::end(precisions) || !precision->is_tensor || !busy) return false;
  const std::optional<TensorRate> rate = full_tensor_rate(readings, device, name);
  if (!rate) return false;
  const double seconds = *readings.value(metrics::kernel_duration) / 1e9;
  const double operations = *busy / 100 * rate->per_second * seconds;
  for (const Level& level : levels) {
    const std::optional<double> bytes = readings.value(level.bytes);
    if (bytes && *bytes > 0) roofline.points.push_back(roofline_point(precision->name, level.name, operations, *bytes, seconds, device));
  }
  if (const std::optional<double> peak = device.peak_tflops(name)) roofline.mfu_pct = 100 * operations / seconds / (*peak * 1e12);
  roofline.basis = Roofline::Basis::estimated;
  roofline.explanation = fmt::format(
      "estimated from the tensor pipes, which were busy for {:.1f} % of the time, at {} (type by the kernel's name)", *busy, rate->source);
  return true;
}

void measure(Roofline& roofline, const model::Readings& readings, const Device& device, std::string_view tensor_precision) {
  const std::optional<double> duration = readings.value(metrics::kernel_duration);
  if (!duration || *duration <= 0) return;
  if (leaves_out_tensor_work(readings)) {
    if (estimate_tensor_work(roofline, readings, device, tensor_precision)) return;
    roofline.explanation = fmt::format(
        "intensity and MFU are withheld: the tensor cores are active for {:.1f} % of the time, and their operations were not counted "
        "(sm__ops_path_tensor_*: `frx ncu-command tensor --gpu-model NAME` has the names that a GPU knows)",
        *readings.value(metrics::tensor_pct));
    return;
  }
  for (const CountedOperations& counted : counted_operations(readings)) {
    for (const Level& level : levels) {
      const std::optional<double> bytes = readings.value(level.bytes);
      if (!bytes || *bytes <= 0) continue;
      roofline.points.push_back(roofline_point(counted.precision, level.name, counted.operations, *bytes, *duration / 1e9, device));
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

RooflinePoint roofline_point(std::string_view precision, std::string_view level, double operations, double bytes, double seconds,
                             const Device& device) {
  RooflinePoint point;
  point.precision = precision;
  point.level = level;
  point.intensity = operations / bytes;
  point.achieved_tflops = operations / seconds / 1e12;
  point.peak_tflops = device.peak_tflops(precision);
  if (level == "dram") point.peak_gbps = device.peak_gbps();
  if (point.peak_tflops && point.peak_gbps) {
    point.ridge = *point.peak_tflops * 1e12 / (*point.peak_gbps * 1e9);
    point.ceiling_tflops = std::min(*point.peak_tflops, point.intensity * *point.peak_gbps / 1e3);
    if (*point.ceiling_tflops > 0) point.of_ceiling_pct = 100 * point.achieved_tflops / *point.ceiling_tflops;
  }
  return point;
}

std::string_view region_of(const RooflinePoint& point) {
  if (!point.ridge) return {};
  const double distance = point.intensity / *point.ridge;
  return distance < 1 - near_ridge ? "memory_bound" : distance > 1 + near_ridge ? "compute_bound" : "near_ridge";
}

std::vector<CountedOperations> counted_operations(const model::Readings& readings) {
  std::vector<CountedOperations> counted;
  if (leaves_out_tensor_work(readings)) return counted;
  for (const Precision& precision : precisions) {
    const double operations = precision.operations(readings).value_or(0);
    if (operations > 0) counted.push_back({precision.name, operations});
  }
  std::ranges::sort(counted, std::ranges::greater{}, &CountedOperations::operations);
  return counted;
}

Roofline roofline_of(const model::Readings& readings, const Device& device, std::string_view tensor_precision) {
  Roofline roofline;
  roofline.memory_utilization_pct = readings.value(metrics::dram_pct);
  measure(roofline, readings, device, tensor_precision);
  if (roofline.basis == Roofline::Basis::measured) place_by_ridge(roofline);
  if (roofline.region.empty()) {
    place_by_utilisation(roofline, readings);
    if (roofline.region.empty() && !roofline.points.empty()) place_by_ridge(roofline);
    if (roofline.basis == Roofline::Basis::none && !roofline.region.empty()) {
      roofline.basis = Roofline::Basis::estimated;
      const std::string why = roofline.explanation.empty() ? "no operation counters in the file" : roofline.explanation;
      roofline.explanation = "estimated from the percentages of peak: " + why;
    }
  }
  if (roofline.basis == Roofline::Basis::none && roofline.explanation.empty()) {
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
