#include "compose/payloads.h"

namespace frx::compose {
namespace {

using report::GpuUse;
using report::TraceReport;

double part_of(std::int64_t part, std::int64_t whole) { return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

void put_kernel_use(JsonObject& out, const derive::trace::KernelUse& use) {
  const auto share = [&](std::int64_t ns) { return when(use.computing_ns() > 0, part_of(ns, use.computing_ns())); };
  out.add("kernel_ns", use.all_ns, "collective_ns", use.collectives_ns, "tensor_core_ns", use.tensor_core_ns, "tensor_core_share",
          share(use.tensor_core_ns), "fp32_matrix_ns", use.fp32_matrix_ns, "fp32_matrix_share", share(use.fp32_matrix_ns),
          "other_matrix_ns", use.other_matrix_ns, "other_matrix_share", share(use.other_matrix_ns), "layout_copy_ns", use.layout_ns,
          "layout_copy_share", share(use.layout_ns));
  out.add("occupancy_pct", use.occupancy_pct, "occupancy_known_share", when(use.all_ns > 0, part_of(use.occupancy_ns, use.all_ns)));
}

void put_product(JsonObject& out, const derive::trace::Product& product, const report::ProductRate& rate) {
  out.add("operator", product.name, "shapes", product.shapes, "type", unless_empty(product.type), "calls", product.calls, "gpu_ns",
          product.gpu_ns, "flops_per_call", product.of_call.flops, "tflops", rate.tflops, "precision", unless_empty(rate.precision),
          "peak_tflops", rate.peak_tflops, "peak_share", rate.peak_share, "flops_per_byte", rate.intensity, "memory_limited",
          rate.memory_limited, "roof_share", rate.roof_share);
}

void put_products(JsonObject& out, const GpuUse& use) {
  const derive::trace::Products& all = use.products;
  out.add("gpu_ns", all.gpu_ns, "flops", all.flops, "tflops",
          when(all.gpu_ns > 0, all.flops / static_cast<double>(std::max<std::int64_t>(all.gpu_ns, 1)) / 1000), "without_shapes_ns",
          all.without_shapes_ns, "without_settings_ns", all.without_settings_ns, "different", all.different);
  out.list("by_shape", std::views::iota(std::size_t{0}, all.products.size()),
           [&](JsonObject& inner, std::size_t i) { put_product(inner, all.products[i], use.rates[i]); });
}

void put_copy(JsonObject& out, const derive::trace::CopyRate& rate) {
  out.add("name", rate.name, "count", rate.count, "bytes", rate.bytes, "gpu_ns", rate.ns, "gb_per_s",
          derive::trace::gigabytes_per_second(rate.bytes, rate.ns), "largest_bytes", rate.largest_bytes, "largest_gb_per_s",
          derive::trace::gigabytes_per_second(rate.largest_bytes, rate.largest_ns), "without_bytes", rate.without_bytes);
}

void put_collective_rate(JsonObject& out, const derive::trace::CollectiveRate& rate) {
  const auto bandwidth = derive::trace::gigabytes_per_second(rate.bytes * rate.calls, rate.ns),
             best = derive::trace::gigabytes_per_second(rate.bytes, rate.shortest_ns);
  const auto bus = [&](const std::optional<double>& of) { return of ? std::optional(*of * rate.factor) : std::nullopt; };
  out.add("collective", rate.name, "type", rate.type, "ranks", rate.ranks, "message_bytes", rate.bytes, "calls", rate.calls, "gpu_ns",
          rate.ns, "shortest_ns", rate.shortest_ns, "algorithm_gb_per_s", bandwidth, "bus_gb_per_s", bus(bandwidth), "best_bus_gb_per_s",
          bus(best));
}

}  // namespace

void put_gpu_use(JsonObject& out, const GpuUse& use) {
  out.add("gpu", use.gpu ? std::optional(use.gpu->name) : std::nullopt, "has_tensor_cores", use.has_tensor_cores);
  out.object("kernels", [&](JsonObject& inner) { put_kernel_use(inner, use.kernels); });
  out.object("products", [&](JsonObject& inner) { put_products(inner, use); });
  out.list("copies", use.copies, put_copy);
  out.list("collectives", use.collectives.rates, put_collective_rate);
  out.list("launch_queues", use.queues, [](JsonObject& inner, const derive::trace::LaunchQueue& queue) {
    inner.add("device", queue.device, "launches", queue.launches, "median_length", queue.median, "longest", queue.longest, "empty_share",
              when(queue.span_ns > 0, part_of(queue.empty_ns, queue.span_ns)));
  });
  out.add("missing", use.missing);
}

}  // namespace frx::compose
