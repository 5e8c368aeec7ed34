// What is known of the GPUs of this machine, from the driver and from the catalogue.
#include <algorithm>

#include "base/text.h"
#include "report/gpu_sheet.h"

namespace frx::report {
namespace {

using knowledge::GpuCatalogue;
using knowledge::GpuProduct;
using knowledge::GpuQuery;
using knowledge::SmLimits;
using model::DetectedGpu;
using model::ToldNumber;

constexpr double bytes_per_mb_of_cache = 1024.0 * 1024.0;

GpuQuery query_of(const DetectedGpu& gpu) {
  GpuQuery query;
  if (!gpu.name.empty()) query.name = gpu.name;
  query.cc = gpu.cc;
  if (gpu.sm_count) query.sm_count = static_cast<int>(gpu.sm_count->value);
  if (gpu.memory_bytes) query.memory_gb = gpu.memory_bytes->value / 1e9;
  return query;
}

SheetNumber* sheet_number(GpuSheet& sheet, std::string_view key) {
  const auto found =
      std::find_if(sheet.specification.begin(), sheet.specification.end(), [&](const SheetNumber& one) { return one.key == key; });
  return found == sheet.specification.end() ? nullptr : &*found;
}

void put_told(GpuSheet& sheet, std::string_view key, const std::optional<ToldNumber>& told, double divided_by = 1) {
  SheetNumber* const number = sheet_number(sheet, key);
  if (number == nullptr || !told) return;
  number->value = told->value / divided_by;
  number->from = told->from;
}

// Where no data sheet says it.
void put_derived(GpuSheet& sheet, std::string_view key, std::optional<double> value, std::string how) {
  SheetNumber* const number = sheet_number(sheet, key);
  if (number == nullptr || number->value || !value) return;
  number->value = value;
  number->from = std::move(how);
}

// The rate of an SM belongs to the compute capability for FP32 only: that of tensor cores differs between products of one.
void put_derived_numbers(const GpuHere& here, GpuSheet& sheet) {
  const DetectedGpu& gpu = here.gpu;
  if (here.bandwidth_by_clock_gbps) {
    put_derived(sheet, "peak_memory_bw_gbps", here.bandwidth_by_clock_gbps,
                fmt::format("derived: memory clock {:.0f} MHz x 2 x bus of {:.0f} bits / 8, by the {}", gpu.memory_clock_mhz->value,
                            gpu.memory_bus_bits->value, gpu.memory_clock_mhz->from));
  }
  const SmLimits* limits = here.match.limits;
  const std::optional<double> rate = limits ? limits->fma_per_sm_clock["fp32"] : std::nullopt;
  if (!rate || !gpu.sm_count || !gpu.sm_clock_mhz) return;
  put_derived(sheet, "peak_fp32_tflops", gpu.sm_count->value * *rate * 2 * gpu.sm_clock_mhz->value * 1e-6,
              fmt::format("derived: {:.0f} SMs x {:.0f} multiply-adds x 2 x {:.0f} MHz, by the {}", gpu.sm_count->value, *rate,
                          gpu.sm_clock_mhz->value, gpu.sm_count->from));
}

// The peaks of the whole GPU are not those of a part of it.
void withhold_peaks(GpuSheet& sheet) {
  for (SheetNumber& number : sheet.specification) {
    const bool of_whole_gpu =
        number.key.starts_with("peak_") || number.key == "sm_count" || number.key == "l2_cache_mb" || number.key == "memory_gb";
    if (of_whole_gpu) number.value.reset(), number.from = "withheld: a MIG instance has a part of it";
  }
  sheet.dense.clear();
  sheet.sparse.clear();
}

GpuHere recognised(const GpuCatalogue& gpus, DetectedGpu gpu) {
  GpuHere here;
  here.match = knowledge::match_gpu(gpus, query_of(gpu));
  here.bandwidth_by_clock_gbps = model::bandwidth_by_clock_gbps(gpu);
  here.is_mig = here.match.is_mig || gpu.mig_enabled.value_or(false) || !gpu.instances.empty();
  here.gpu = std::move(gpu);
  here.product = knowledge::certain_product(here.match);
  if (here.match.limits) here.sheet = here.product ? sheet_of(*here.product, *here.match.limits) : sheet_of(*here.match.limits);
  if (here.sheet.name.empty()) here.sheet.name = here.gpu.name;
  put_told(here.sheet, "sm_count", here.gpu.sm_count);
  put_told(here.sheet, "max_threads_per_sm", here.gpu.threads_per_sm);
  put_told(here.sheet, "l2_cache_mb", here.gpu.l2_bytes, bytes_per_mb_of_cache);
  const SheetNumber* const memory = sheet_number(here.sheet, "memory_gb");
  if (memory != nullptr && !memory->value) put_told(here.sheet, "memory_gb", here.gpu.memory_bytes, 1e9);
  put_derived_numbers(here, here.sheet);
  if (here.is_mig) {
    withhold_peaks(here.sheet);
  } else if (here.product) {
    here.spec_source = "data sheet";
  } else if (const SheetNumber* const fp32 = sheet_number(here.sheet, "peak_fp32_tflops"); fp32 != nullptr && fp32->value) {
    here.spec_source = "driver";
  }
  return here;
}

}  // namespace

GpusHere recognise(const GpuCatalogue& gpus, std::vector<DetectedGpu> detected, std::vector<std::string> notes) {
  GpusHere here;
  here.notes = std::move(notes);
  for (DetectedGpu& gpu : detected) here.gpus.push_back(recognised(gpus, std::move(gpu)));
  return here;
}

bool all_known(const GpusHere& here) {
  return std::all_of(here.gpus.begin(), here.gpus.end(), [](const GpuHere& one) { return one.product != nullptr; });
}

}  // namespace frx::report
