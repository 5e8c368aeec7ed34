#include "report/gpu_sheet.h"

#include <algorithm>

#include "base/text.h"

namespace frx::report {
namespace {

using knowledge::GpuCatalogue;
using knowledge::GpuProduct;
using knowledge::SmLimits;

constexpr double kib = 1024;

struct Precision {
  std::string_view name, key, label, unit = "TFLOPS";
};
// Beside those of the specification; of each the sparse rate has the same name.
constexpr Precision precisions[] = {
    {"fp64", "fp64", "FP64"},
    {"fp16", "fp16_cuda_cores", "FP16, CUDA cores"},
    {"bf16", "bf16_cuda_cores", "BF16, CUDA cores"},
    {"fp64_tensor", "fp64_tensor", "FP64 tensor"},
    {"tf32_tensor", "tf32_tensor", "TF32 tensor"},
    {"fp16_tensor", "fp16_tensor", "FP16 tensor, FP32 accumulate"},
    {"fp16_tensor_acc16", "fp16_tensor_acc16", "FP16 tensor, FP16 accumulate"},
    {"bf16_tensor", "bf16_tensor", "BF16 tensor"},
    {"fp8_tensor", "fp8_tensor", "FP8 tensor"},
    {"int8_tensor", "int8_tensor", "INT8 tensor", "TOPS"},
    {"fp4_tensor", "fp4_tensor", "FP4 tensor"},
};

std::string limits_from(const SmLimits& limits) { return fmt::format("{} ({})", limits.limits_source, limits.where); }

// Its tensor cores, or its CUDA cores where it has none.
SheetNumber half_peak(const GpuProduct& product, std::string_view key, std::string_view label, std::string_view name) {
  const std::string tensor = std::string(name) + "_tensor";
  SheetNumber number{key, label, "TFLOPS", product.peak_tflops(tensor), ""};
  std::string_view kind = "tensor cores, FP32 accumulate, dense; ";
  std::string_view field = tensor;
  if (!number.value && !product.peak_tflops("fp16_tensor")) {
    number.value = product.peak_tflops(name);
    kind = "CUDA cores; ", field = name;
  }
  if (number.value) number.from = std::string(kind) + product.provenance(field);
  return number;
}

SheetNumber of_product(const GpuProduct& product, std::string_view key, std::string_view label, std::string_view unit,
                       std::optional<double> value, std::string_view field) {
  return {key, label, unit, value, value ? product.provenance(field) : std::string()};
}

SheetNumber of_limits(const SmLimits& limits, std::string_view key, std::string_view label, std::string_view unit, double value) {
  return {key, label, unit, value, limits_from(limits)};
}

std::vector<SheetNumber> board_rows(const GpuProduct& p) {
  return {of_product(p, "boost_clock_mhz", "Boost clock", "MHz", p.boost_clock_mhz, "boost_clock_mhz"),
          of_product(p, "tensor_clock_mhz", "Clock of tensor peaks", "MHz", p.tensor_clock_mhz, "tensor_clock_mhz"),
          of_product(p, "memory_clock_mhz", "Memory clock", "MHz", p.memory_clock_mhz, "memory_clock_mhz"),
          of_product(p, "memory_bus_bits", "Memory bus", "bits", p.memory_bus_bits, "memory_bus_bits")};
}

// `product` may be null: then there is only what the family has in common.
void fill_in(const GpuProduct* product, const SmLimits& limits, GpuSheet& sheet) {
  static const GpuProduct none;
  const GpuProduct& p = product ? *product : none;
  sheet.tdp = of_product(p, "tdp_w", "TDP", "W", p.tdp_w, "tdp_w");
  sheet.board = board_rows(p);
  sheet.specification = {
      of_product(p, "peak_memory_bw_gbps", "Peak Memory Bandwidth", "GB/s", p.memory_bandwidth_gbps, "memory_bandwidth_gbps"),
      of_product(p, "peak_fp32_tflops", "Peak FP32 Performance", "TFLOPS", p.peak_tflops("fp32"), "fp32"),
      half_peak(p, "peak_fp16_tflops", "Peak FP16 Performance", "fp16"),
      half_peak(p, "peak_bf16_tflops", "Peak BF16 Performance", "bf16"),
      of_product(p, "sm_count", "SM Count", "", p.sm_count, "sm_count"),
      of_limits(limits, "max_threads_per_sm", "Max Threads per SM", "", limits.threads_per_sm),
      of_limits(limits, "l1_cache_kb", "L1 Cache per SM", "KB", limits.l1_shared_bytes / kib),
      of_product(p, "l2_cache_mb", "L2 Cache (Total)", "MB", p.l2_mb, "l2_mb"),
      of_product(p, "memory_gb", "Memory Size", "GB", p.memory_gb, "memory_gb")};
}

std::vector<SheetNumber> limits_rows(const SmLimits& l) {
  return {of_limits(l, "warps_per_sm", "Warps per SM", "", l.warps_per_sm),
          of_limits(l, "blocks_per_sm", "Blocks per SM", "", l.blocks_per_sm),
          of_limits(l, "threads_per_block", "Threads per block", "", l.threads_per_block),
          of_limits(l, "registers_per_sm", "Registers per SM", "", l.registers_per_sm),
          of_limits(l, "registers_per_thread", "Registers per thread", "", l.registers_per_thread),
          of_limits(l, "register_allocation_unit", "Register allocation unit", "", l.register_allocation_unit),
          of_limits(l, "l1_shared_kb", "L1 and shared memory per SM", "KB", l.l1_shared_bytes / kib),
          of_limits(l, "shared_per_sm_kb", "Shared memory per SM", "KB", l.shared_per_sm / kib),
          of_limits(l, "shared_per_block_kb", "Shared memory per block (opt-in)", "KB", l.shared_per_block / kib),
          of_limits(l, "shared_per_block_static_kb", "Shared memory per block (static)", "KB", l.shared_per_block_static / kib),
          of_limits(l, "shared_reserved_per_block_kb", "Reserved by the system per block", "KB", l.shared_reserved_per_block / kib),
          of_limits(l, "shared_allocation_unit_bytes", "Shared memory allocation unit", "bytes", l.shared_allocation_unit)};
}

void add_peaks(const GpuProduct& product, GpuSheet& sheet) {
  for (const Precision& precision : precisions) {
    if (const std::optional<double> peak = product.peak_tflops(precision.name))
      sheet.dense.push_back(of_product(product, precision.key, precision.label, precision.unit, peak, precision.name));
    if (const std::optional<double> peak = knowledge::sparse_peak_tflops(product, precision.name)) {
      const std::string from =
          fmt::format("derived: 2 x the dense rate of {}, which 2:4 structured sparsity allows on compute capability {}", product.name,
                      knowledge::to_string(product.cc));
      sheet.sparse.push_back({precision.key, precision.label, precision.unit, peak, from});
    }
  }
}

GpuCandidate candidate_of(const GpuCatalogue& gpus, const GpuProduct& product) {
  const SmLimits* limits = gpus.limits(product.cc);
  return {&product, limits ? sheet_of(product, *limits) : GpuSheet()};
}

std::vector<SheetNumber> agreed_by(const std::vector<GpuCandidate>& candidates) {
  std::vector<SheetNumber> agreed;
  for (std::size_t i = 0; i < candidates[0].sheet.specification.size(); ++i) {
    const SheetNumber& number = candidates[0].sheet.specification[i];
    const bool same = number.value && std::all_of(candidates.begin(), candidates.end(), [&](const GpuCandidate& other) {
                        return i < other.sheet.specification.size() && other.sheet.specification[i].value == number.value;
                      });
    if (same) agreed.push_back(number);
  }
  return agreed;
}

}  // namespace

GpuSheet sheet_of(const SmLimits& limits) {
  GpuSheet sheet;
  sheet.architecture = limits.display;
  sheet.compute_capability = knowledge::to_string(limits.cc);
  fill_in(nullptr, limits, sheet);
  sheet.limits = limits_rows(limits);
  sheet.shared_carve_outs_kib = limits.shared_carve_outs_kib;
  return sheet;
}

GpuSheet sheet_of_unknown_gpu() {
  GpuSheet sheet;
  fill_in(nullptr, SmLimits(), sheet);
  sheet.limits.clear();
  for (SheetNumber& number : sheet.specification) number.value.reset(), number.from.clear();
  return sheet;
}

GpuSheet sheet_of(const GpuProduct& product, const SmLimits& limits) {
  GpuSheet sheet = sheet_of(limits);
  sheet.id = product.id, sheet.name = product.name;
  sheet.memory_type = product.memory_type, sheet.form_factor = product.form;
  fill_in(&product, limits, sheet);
  add_peaks(product, sheet);
  return sheet;
}

Result<GpuLookup> look_up_gpu(const GpuCatalogue& gpus, const std::string& name) {
  GpuLookup lookup;
  lookup.asked = name;
  if (const GpuProduct* product = gpus.with_id(trim(name))) {
    lookup.match.product = product;
    lookup.match.limits = gpus.limits(product->cc);
    lookup.match.certainty = knowledge::Certainty::exact;
    lookup.match.explanation = fmt::format("{} ({}), by its id", product->name, product->id);
  } else {
    knowledge::GpuQuery query;
    query.name = name;
    lookup.match = knowledge::match_gpu(gpus, query);
  }
  knowledge::GpuMatch& match = lookup.match;
  if (match.certainty == knowledge::Certainty::unknown)
    return fail(ErrorKind::not_enough, "{}", match.explanation).hint("frx gpu list names those that are known");
  if (match.candidates.size() > 1) {
    for (const GpuProduct* product : match.candidates) lookup.candidates.push_back(candidate_of(gpus, *product));
    lookup.agreed = agreed_by(lookup.candidates);
    match.product = nullptr;
    match.certainty = knowledge::Certainty::ambiguous;
    match.explanation =
        fmt::format("'{}' fits {} products, and none is assumed: name one of them.", shorten(printable(name), 60), match.candidates.size());
  } else if (match.limits) {
    lookup.sheet = match.product ? sheet_of(*match.product, *match.limits) : sheet_of(*match.limits);
  }
  return lookup;
}

GpuList list_gpus(const GpuCatalogue& gpus) {
  GpuList list;
  for (const GpuProduct& product : gpus.products()) list.gpus.push_back(candidate_of(gpus, product));
  return list;
}

}  // namespace frx::report
