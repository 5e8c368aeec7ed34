#include "derive/cuda/inspect.h"

#include <algorithm>
#include <unordered_map>

#include "derive/cuda/facts.h"
#include "derive/cuda/launches.h"

namespace frx::derive::cuda {
namespace {

using model::cuda::Inspection;
using model::cuda::Kernel;
using model::cuda::Launch;

using ByKernel = std::unordered_map<std::string_view, std::vector<const Launch*>>;

// The first launch whose block is a constant, if it is one that can be.
Shape block_of(const Trace& trace, const std::vector<const Launch*>& launches) {
  for (const Launch* launch : launches) {
    if (!launch->block) continue;
    const model::cuda::Extent& b = *launch->block;
    const bool possible =
        b.x >= 1 && b.y >= 1 && b.z >= 1 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 && b.volume() <= 1024;
    if (possible)
      return {static_cast<std::uint32_t>(b.x), static_cast<std::uint32_t>(b.y), static_cast<std::uint32_t>(b.z)};
  }
  return likely_block(trace);
}

void add_kernel(const Program& program, std::uint32_t f, const std::vector<const Launch*>& launches,
                const knowledge::SmLimits* limits, Inspection& into) {
  const Trace trace = trace_kernel(program, f);
  const Shape block = block_of(trace, launches);
  const Patterns patterns(trace, block);
  const Words words = words_of(program, trace);
  KernelView view{program, program.functions()[f], trace, patterns, words, block};
  for (const Launch* launch : launches) {
    view.dynamic_shared_bytes = std::max(view.dynamic_shared_bytes, launch->dynamic_shared_bytes.value_or(0));
    view.is_launched_by_one_thread = view.is_launched_by_one_thread || (launch->block && launch->block->volume() == 1);
  }
  Kernel kernel = kernel_of(view);
  into.subjects.push_back(facts_of(view, kernel));
  into.subjects.push_back(occupancy_subject(kernel, launches, limits));
  into.advice.push_back(advice_for(kernel, launches, limits));
  into.kernels.push_back(std::move(kernel));
}

}  // namespace

Inspection inspect(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits) {
  Inspection result;
  const Program program(sources);
  result.launches = launches_of(program);
  ByKernel by_kernel;
  for (const Launch& launch : result.launches) by_kernel[launch.kernel].push_back(&launch);
  for (std::uint32_t f = 0; f < program.functions().size(); ++f) {
    if (program.functions()[f].is_kernel)
      add_kernel(program, f, by_kernel[program.functions()[f].name], limits, result);
  }
  for (const Launch& launch : result.launches) result.subjects.push_back(launch_subject(launch));
  return result;
}

}  // namespace frx::derive::cuda
