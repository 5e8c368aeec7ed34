#include "derive/kernel_occupancy.h"

#include <algorithm>
#include <limits>

namespace frx::derive {
namespace {

std::uint64_t product(const model::Dim3& of) { return std::uint64_t{of[0]} * of[1] * of[2]; }

std::uint32_t clamped(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

knowledge::LaunchShape resident_shape(const model::KernelResources& kernel, std::uint32_t threads, std::uint32_t dynamic_shared) {
  knowledge::LaunchShape shape;
  shape.threads_per_block = threads;
  shape.registers_per_thread = kernel.registers_per_thread;
  if (kernel.static_shared_bytes) shape.static_shared_bytes = clamped(*kernel.static_shared_bytes);
  shape.dynamic_shared_bytes = dynamic_shared;
  if (kernel.cluster) shape.cluster_size = clamped(product(*kernel.cluster));
  return shape;
}

struct BlockSizes {
  std::vector<std::uint32_t> threads;
  BlockSizeFrom from = BlockSizeFrom::assumed;
};

BlockSizes block_sizes(const model::KernelResources& kernel, const knowledge::SmLimits& limits, const LaunchAssumptions& assumptions) {
  if (assumptions.threads_per_block) return {{*assumptions.threads_per_block}, BlockSizeFrom::asked};
  if (kernel.required_threads) return {{clamped(product(*kernel.required_threads))}, BlockSizeFrom::required};
  const std::uint64_t allowed = kernel.max_threads ? product(*kernel.max_threads) : limits.threads_per_block;
  const std::uint32_t most = std::min(clamped(allowed), limits.threads_per_block);
  BlockSizes sizes;
  for (const std::uint32_t usual : {64u, 128u, 256u, 512u, 1024u}) {
    if (usual < most) sizes.threads.push_back(usual);
  }
  if (most > 0) sizes.threads.push_back(most);
  return sizes;
}

}  // namespace

std::vector<KernelOccupancy> kernel_occupancy(const model::KernelResources& kernel, const knowledge::SmLimits& limits,
                                              const LaunchAssumptions& assumptions) {
  if (kernel.relocatable) return {};
  const BlockSizes sizes = block_sizes(kernel, limits, assumptions);
  std::vector<KernelOccupancy> found;
  for (const std::uint32_t threads : sizes.threads) {
    const knowledge::LaunchShape shape = resident_shape(kernel, threads, assumptions.dynamic_shared_bytes);
    found.push_back({threads, sizes.from, knowledge::occupancy(shape, limits), knowledge::what_would_change(shape, limits)});
  }
  return found;
}

bool runs_on(const model::KernelResources& kernel, model::ComputeCapability gpu) {
  if (kernel.architecture.ends_with('a')) return kernel.cc == gpu;
  return kernel.cc.major == gpu.major && kernel.cc.minor <= gpu.minor;
}

const knowledge::SmLimits* limits_for(const model::KernelResources& kernel, const knowledge::GpuCatalogue& catalogue,
                                      const knowledge::SmLimits* gpu) {
  if (!gpu) return catalogue.limits(kernel.cc);
  return runs_on(kernel, gpu->cc) ? gpu : nullptr;
}

}  // namespace frx::derive
