#include "report/recordings/cublas_profile.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/gpu_match.h"

namespace frx::report {
namespace {

// Precisions and rates of data/gpus are dense. cublasHgemm accumulates in FP16, cublasGemmEx with CUBLAS_COMPUTE_32F in FP32.
constexpr CublasOperation operations[] = {
    {"gemm_f16", "fp16_tensor", "FP16 Tensor, FP32 accumulate", 2, 2},
    {"hgemm", "fp16_tensor_acc16", "FP16 Tensor, FP16 accumulate", 2, 2},
    {"gemm_bf16", "bf16_tensor", "BF16 Tensor, FP32 accumulate", 2, 2},
    {"gemm_f32", "fp32", "FP32", 4, 4},
    {"sgemm", "fp32", "FP32", 4, 4},
    {"gemm_tf32", "tf32_tensor", "TF32 Tensor", 4, 4},
    {"gemm_f64", "fp64", "FP64", 8, 8},
    {"dgemm", "fp64", "FP64", 8, 8},
    {"gemm_i8", "int8_tensor", "INT8 Tensor", 1, 4},
    {"gemm_f8", "fp8_tensor", "FP8 Tensor", 1, 2},
};

struct Rate {
  std::optional<double> tflops;
  std::string source;
};

// What the product publishes, else what its clock and its SMs give.
Rate rate_of(const knowledge::GpuProduct& product, const knowledge::SmLimits* limits, std::string_view precision) {
  if (const std::optional<double> published = product.peak_tflops(precision))
    return {published, fmt::format("{}, dense: {}", precision, product.provenance(precision))};
  const std::optional<double> derived = limits ? derived_peak_tflops(product, *limits, precision) : std::nullopt;
  if (derived) return {derived, fmt::format("{}, dense: SMs x multiply-adds per clock x 2 x clock", precision)};
  return {};
}

Rate best_rate(const CublasOperation& operation, const knowledge::GpuProduct& product, const knowledge::SmLimits* limits) {
  // Libraries use the tensor cores for FP64 where the GPU has such.
  if (operation.precision == "fp64") {
    if (const Rate tensor = rate_of(product, limits, "fp64_tensor"); tensor.tflops) return tensor;
  }
  Rate rate = rate_of(product, limits, operation.precision);
  if (rate.tflops || operation.precision != "fp16_tensor_acc16") return rate;
  rate = rate_of(product, limits, "fp16_tensor");
  if (rate.tflops) rate.source += "; no other rate is known for accumulation in FP16";
  return rate;
}

bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(name, word); });
}

std::optional<std::string> doubt_about(const CublasOperation& operation, const std::string& kernel) {
  const bool accumulates_16 = has_word(kernel, {"h16816", "h1688", "h884"}), accumulates_32 = has_word(kernel, {"s16816", "s1688", "s884"});
  const bool is_tf32 = has_word(kernel, {"tf32"});
  if (operation.precision == "fp16_tensor" && accumulates_16 && !accumulates_32) return "it accumulates in FP16 (--op hgemm)";
  if (operation.precision == "fp16_tensor_acc16" && accumulates_32 && !accumulates_16) return "it accumulates in FP32 (--op gemm_f16)";
  if (operation.precision == "fp32" && is_tf32) return "it computes in TF32 (--op gemm_tf32)";
  if (operation.precision == "tf32_tensor" && has_word(kernel, {"sgemm", "_ffma_"}) && !is_tf32) return "it computes in FP32 (--op sgemm)";
  return std::nullopt;
}

}  // namespace

std::span<const CublasOperation> cublas_operations() { return operations; }

const CublasOperation* cublas_operation(std::string_view name) {
  const auto* const found = std::ranges::find(operations, name, &CublasOperation::name);
  return found == std::end(operations) ? nullptr : found;
}

CublasPeak cublas_peak(const CublasOperation& operation, const GpuAtHand& gpu, const knowledge::GpuCatalogue& gpus) {
  CublasPeak peak;
  if (gpu.name.empty()) {
    peak.source = "no GPU is known here: --gpu-model NAME gives its peak";
    return peak;
  }
  const knowledge::GpuMatch match = match_gpu(gpus, {gpu.name, gpu.cc, gpu.sm_count, gpu.memory_gb});
  peak.gpu = gpu.name;
  if (match.is_mig) {
    peak.source = "a MIG slice: the peaks that are known are those of the whole GPU";
  } else if (!match.product) {
    peak.source = match.explanation;
  } else {
    Rate rate = best_rate(operation, *match.product, match.limits);
    peak.tflops = rate.tflops;
    peak.bandwidth_gbps = match.product->memory_bandwidth_gbps;
    peak.source = rate.tflops ? std::move(rate.source) : fmt::format("{} has no rate for {}", match.product->name, operation.precision);
  }
  return peak;
}

double CublasProfile::flops() const {
  return 2.0 * static_cast<double>(shape[0]) * static_cast<double>(shape[1]) * static_cast<double>(shape[2]);
}

double CublasProfile::least_bytes() const {
  const auto m = static_cast<double>(shape[0]), n = static_cast<double>(shape[1]), k = static_cast<double>(shape[2]);
  return operation->input_bytes * (m * k + k * n) + operation->output_bytes * m * n;
}

std::optional<double> CublasProfile::tflops(const GemmRow& row) const {
  if (row.products == 0 || !(row.total_ns > 0)) return std::nullopt;
  return flops() / row.average_ns() / 1e3;  // per ns: a thousandth of a TFLOP/s
}

std::optional<double> CublasProfile::efficiency_pct(const GemmRow& row) const {
  const std::optional<double> rate = tflops(row);
  return rate && peak.tflops ? std::optional(100 * *rate / *peak.tflops) : std::nullopt;
}

std::optional<CublasProfile::Estimate> CublasProfile::estimate() const {
  if (!is_estimate_wanted || times || !peak.tflops) return std::nullopt;
  const double computing_us = flops() / (*peak.tflops * 1e6);
  const double moving_us = peak.bandwidth_gbps ? least_bytes() / (*peak.bandwidth_gbps * 1e3) : 0;
  Estimate estimate;
  estimate.time_us = std::max(computing_us, moving_us);
  estimate.tflops = flops() / (estimate.time_us * 1e6);
  estimate.of_peak_pct = 100 * estimate.tflops / *peak.tflops;
  estimate.basis = moving_us > computing_us
                       ? fmt::format("{:.3g} bytes (A, B and C once) at {:.1f} GB/s", least_bytes(), *peak.bandwidth_gbps)
                       : fmt::format("{:.3g} FLOPs at the peak of {:.1f} TFLOP/s", flops(), *peak.tflops);
  return estimate;
}

std::vector<std::string> doubts_about(const CublasProfile& profile) {
  constexpr double impossible_pct = 102;  // clocks above those of the data sheet are rarely more than that
  std::vector<std::string> doubts;
  if (!profile.times) return doubts;
  bool too_fast = false;
  for (const GemmRow& row : profile.times->rows) {
    too_fast |= profile.efficiency_pct(row).value_or(0) > impossible_pct;
    if (const std::optional<std::string> doubt = doubt_about(*profile.operation, row.kernel))
      doubts.push_back(
          fmt::format("the name of {} says that {}: its efficiency is against another peak", clip(printable(row.kernel), 60), *doubt));
  }
  if (too_fast)
    doubts.emplace_back("more than the peak is not possible: some of the products are smaller than was said, or of another precision");
  return doubts;
}

}  // namespace frx::report
