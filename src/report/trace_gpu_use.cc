#include "report/trace_gpu_use.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "report/recorder_words.h"

namespace frx::report {
namespace {

using derive::trace::Product;
using derive::trace::ProductUnit;

// What could compute it. Single precision may be rounded to TF32 only where the program allows it, so what it ran on decides.
std::string_view precision_of(const Product& product) {
  if (product.type == "c10::Half") return "fp16_tensor";
  if (product.type == "c10::BFloat16") return "bf16_tensor";
  if (product.type.starts_with("c10::Float8")) return "fp8_tensor";
  if (product.type == "signed char") return "int8_tensor";
  if (product.type == "float" && product.unit == ProductUnit::tensor_cores) return "tf32_tensor";
  if (product.type == "float" && product.unit == ProductUnit::fp32_cores) return "fp32";
  return {};
}

knowledge::GpuMatch matched(const knowledge::Knowledge& knowledge, const model::TracedGpu& gpu) {
  knowledge::GpuQuery query;
  if (!gpu.name.empty()) query.name = gpu.name;
  query.cc = gpu.cc;
  if (gpu.sms > 0) query.sm_count = static_cast<int>(gpu.sms);
  if (gpu.memory_bytes > 0) query.memory_gb = static_cast<double>(gpu.memory_bytes) / 1e9;
  return knowledge::match_gpu(knowledge.gpus, query);
}

// The product that all of them are.
void find_gpu(const knowledge::Knowledge& knowledge, std::span<const model::TracedGpu* const> used, GpuUse& use) {
  std::map<const model::TracedGpu*, knowledge::GpuMatch> matches;  // many processes may use one
  for (const model::TracedGpu* gpu : used) {
    const auto [known, is_new] = matches.try_emplace(gpu);
    if (is_new && gpu) known->second = matched(knowledge, *gpu);
    const knowledge::GpuMatch& match = known->second;
    const bool is_same = gpu == used.front() || (use.gpu && match.product == use.gpu);
    use.gpu = is_same && match.certainty == knowledge::Certainty::exact && !match.is_mig ? match.product : nullptr;
    if (gpu && gpu->cc) use.has_tensor_cores = gpu->cc->major >= 7 && !(match.product && match.product->no_tensor_cores);
    if (!use.gpu) break;
  }
}

void name_missing_products(GpuUse& use, bool is_amd, const RecorderWords& words) {
  const derive::trace::Products& products = use.products;
  const auto of = [](std::int64_t ns) { return format_quantity(static_cast<double>(ns), "ns"); };
  if (products.without_shapes_ns > 0)
    use.missing.push_back(fmt::format("operations per second of products that took {}: the shapes of their inputs were not recorded ({})",
                                      of(products.without_shapes_ns), words.shapes));
  if (products.without_settings_ns > 0)
    use.missing.push_back(
        fmt::format("operations per second of products that took {}: strides and paddings of convolutions are recorded by "
                    "PyTorch 2.1 and later with record_shapes=True, and other shapes did not fit",
                    of(products.without_settings_ns)));
  if (products.gpu_ns > 0 && !use.gpu) {
    use.missing.push_back(fmt::format("peaks of the GPU, to compare rates with: {}",
                                      is_amd ? "frx has none of GPUs of AMD" : "the trace does not name one that frx knows"));
  }
}

void name_missing(GpuUse& use, bool is_amd, const RecorderWords& words) {
  name_missing_products(use, is_amd, words);
  if (use.kernels.all_ns > 0 && !use.kernels.occupancy_pct) {
    use.missing.push_back(
        is_amd ? std::string("occupancy: the profiler writes none for GPUs of AMD (rocprof-compute profile -- COMMAND measures it)")
               : fmt::format("occupancy: the file has none beside its kernels ({})", words.occupancy));
  }
  std::uint64_t without_bytes = 0;
  for (const derive::trace::CopyRate& rate : use.copies) without_bytes += rate.without_bytes;
  if (without_bytes > 0)
    use.missing.push_back(fmt::format("bandwidth of {}, whose bytes are not in the file", fmt::format("{} copies", without_bytes)));
  std::int64_t with_host = 0;
  for (const derive::trace::CopyRate& rate : use.copies) {
    const bool crosses = contains_ignoring_case(rate.name, "htod") || contains_ignoring_case(rate.name, "dtoh");
    with_host += crosses && rate.bytes > 0 ? rate.ns : 0;
  }
  if (with_host * 100 > use.kernels.all_ns) {
    use.missing.push_back(
        "what the link to the host could deliver: its generation and width are not in the file (nvidia-smi "
        "--query-gpu=pcie.link.gen.max,pcie.link.width.max --format=csv tells)");
  }
  if (use.collectives.without_message > 0)
    use.missing.push_back(fmt::format("bandwidth of {}, whose message or group is not in the file (PyTorch 2.3 and later record them)",
                                      count_text(use.collectives.without_message, "collective")));
}

}  // namespace

const knowledge::GpuProduct* gpu_of_all(const knowledge::Knowledge& knowledge, std::span<const model::TracedGpu> gpus) {
  std::vector<const model::TracedGpu*> used;
  for (const model::TracedGpu& gpu : gpus) used.push_back(&gpu);
  GpuUse use;
  if (!used.empty()) find_gpu(knowledge, used, use);
  return use.gpu;
}

namespace {

std::optional<double> share_of_computing(std::int64_t ns, const derive::trace::KernelUse& kernels) {
  if (kernels.computing_ns() <= 0) return std::nullopt;
  return static_cast<double>(ns) / static_cast<double>(kernels.computing_ns());
}

}  // namespace

std::optional<double> GpuUse::fp32_matrix_share() const { return share_of_computing(kernels.fp32_matrix_ns, kernels); }
std::optional<double> GpuUse::layout_copy_share() const { return share_of_computing(kernels.layout_ns, kernels); }

ProductRate rate_of(const Product& product, const knowledge::GpuProduct* gpu) {
  ProductRate rate;
  const double ns = static_cast<double>(product.gpu_ns), bytes = product.of_call.elements * static_cast<double>(product.element_bytes);
  if (ns <= 0) return rate;
  rate.tflops = product.flops() / ns / 1000;
  rate.precision = precision_of(product);
  if (bytes > 0) rate.intensity = product.of_call.flops / bytes;
  if (!gpu || rate.precision.empty()) return rate;
  rate.peak_tflops = gpu->peak_tflops(rate.precision);
  if (!rate.peak_tflops || *rate.peak_tflops <= 0) return rate;
  rate.peak_share = rate.tflops / *rate.peak_tflops;
  if (!gpu->memory_bandwidth_gbps || bytes <= 0) return rate;
  const double calls = static_cast<double>(product.calls);
  const double by_peak = product.flops() / *rate.peak_tflops / 1000, by_memory = bytes * calls / *gpu->memory_bandwidth_gbps;
  rate.memory_limited = by_memory > by_peak;
  rate.roof_share = std::max(by_peak, by_memory) / ns;
  return rate;
}

void rate_products(GpuUse& use, const knowledge::Knowledge& knowledge, std::span<const model::TracedGpu* const> used,
                   std::optional<bool> is_amd) {
  // Numbers of AMD's architectures look like compute capabilities.
  if (!is_amd.value_or(false)) find_gpu(knowledge, used, use);
  for (const Product& product : use.products.products) use.rates.push_back(rate_of(product, use.gpu));
}

GpuUse gpu_use(const model::Timeline& timeline, const derive::trace::Attribution& attribution, const knowledge::Knowledge& knowledge,
               std::vector<const model::TracedGpu*> used, std::optional<bool> is_amd, std::int64_t rank) {
  GpuUse use;
  use.kernels = derive::trace::kernel_use(timeline, attribution, knowledge.classes, rank);
  use.products = derive::trace::products_of(timeline, attribution, knowledge.classes, rank);
  use.copies = derive::trace::copy_rates(timeline, attribution, rank);
  use.collectives = derive::trace::collective_rates(timeline, attribution, rank);
  // Without its clock the times between events say nothing.
  if (!timeline.clock_broken) use.queues = derive::trace::launch_queues(timeline, attribution, rank);
  rate_products(use, knowledge, used, is_amd);
  name_missing(use, is_amd.value_or(false), recorder_words(timeline.facts.recorder));
  return use;
}

}  // namespace frx::report
