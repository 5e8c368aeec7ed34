// What the GPUs of a trace did while they were busy, against what the GPU can do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "derive/trace/kernel_use.h"
#include "derive/trace/launch_queue.h"
#include "derive/trace/products.h"
#include "derive/trace/transfers.h"
#include "knowledge/gpu_match.h"
#include "knowledge/knowledge.h"

namespace frx::report {

// How fast products of one shape ran. Shares are of what the data sheet promises, which no kernel reaches.
struct ProductRate {
  double tflops = 0;
  std::string_view precision;          // of the peak: "bf16_tensor"; "": none applies, or the type is not known
  std::optional<double> peak_tflops;   // absent as `precision`, or where the GPU is not known
  std::optional<double> peak_share;    // of it
  std::optional<double> intensity;     // operations per byte, each input and output moved once
  std::optional<bool> memory_limited;  // the memory needs longer for those bytes than the peak for the operations
  std::optional<double> roof_share;    // the time that the slower of them needs, of the time taken; above 1 where caches served
};

struct GpuUse {
  derive::trace::KernelUse kernels;
  derive::trace::Products products;
  std::vector<ProductRate> rates;  // of products.products
  std::vector<derive::trace::CopyRate> copies;
  derive::trace::CollectiveRates collectives;
  std::vector<derive::trace::LaunchQueue> queues;
  const knowledge::GpuProduct* gpu = nullptr;       // all GPUs used are this one; null: unknown or several
  std::optional<bool> has_tensor_cores;             // of NVIDIA
  std::vector<std::string> missing;                 // what is not told, and what records it
  std::optional<double> fp32_matrix_share() const;  // of the time of kernels that are no collectives
  std::optional<double> layout_copy_share() const;  // the same of kernels that only bring tensors into another layout
};

// `used`: the GPUs with work, as the trace names them; one that it does not name is a null pointer.
GpuUse gpu_use(const model::Timeline& timeline, const derive::trace::Attribution& attribution, const knowledge::Knowledge& knowledge,
               std::vector<const model::TracedGpu*> used, std::optional<bool> is_amd, std::int64_t rank);

// The GPU that was used, and the rates of products against its peaks, which follow from the rest.
void rate_products(GpuUse& use, const knowledge::Knowledge& knowledge, std::span<const model::TracedGpu* const> used,
                   std::optional<bool> is_amd);

// The product that all of these GPUs are; null: unknown, several, or parts of one (MIG).
const knowledge::GpuProduct* gpu_of_all(const knowledge::Knowledge& knowledge, std::span<const model::TracedGpu> gpus);

// Against these peaks; `gpu` may be null.
ProductRate rate_of(const derive::trace::Product& product, const knowledge::GpuProduct* gpu);

}  // namespace frx::report
