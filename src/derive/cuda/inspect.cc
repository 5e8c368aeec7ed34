#include "derive/cuda/inspect.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "derive/cuda/facts.h"
#include "derive/cuda/launches.h"

namespace frx::derive::cuda {
namespace {

using model::cuda::Inspection;
using model::cuda::Kernel;
using model::cuda::Launch;

// Kernels whose facts are held at the same time: they take more room than all that is kept of a kernel.
constexpr std::size_t at_once = 256;

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

// What is found about one kernel.
struct Inspected {
  Kernel kernel;
  model::CodeSubject facts, occupancy;
  model::cuda::LaunchAdvice advice;
};

Inspected inspected(const Program& program, std::uint32_t f, const std::vector<const Launch*>& launches, const knowledge::SmLimits* limits) {
  const Trace trace = trace_kernel(program, f);
  const Shape block = block_of(trace, launches);
  const Patterns patterns(trace, block);
  const Words words = words_of(program, trace);
  KernelView view{program, program.functions()[f], trace, patterns, words, block};
  for (const Launch* launch : launches) {
    view.dynamic_shared_bytes = std::max(view.dynamic_shared_bytes, launch->dynamic_shared_bytes.value_or(0));
    view.is_launched_by_one_thread = view.is_launched_by_one_thread || (launch->block && launch->block->volume() == 1);
  }
  Inspected result{kernel_of(view), {}, {}, {}};
  result.facts = facts_of(view, result.kernel);
  result.occupancy = occupancy_subject(result.kernel, launches, limits);
  result.advice = advice_for(result.kernel, launches, limits);
  return result;
}

void add(Inspected&& one, Inspection& into, const SubjectSink& sink) {
  sink(std::move(one.facts));
  sink(std::move(one.occupancy));
  into.advice.push_back(std::move(one.advice));
  into.kernels.push_back(std::move(one.kernel));
}

}  // namespace

Inspection inspect(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits) {
  std::vector<model::CodeSubject> subjects;
  Inspection result = inspect(sources, limits, [&](model::CodeSubject&& subject) { subjects.push_back(std::move(subject)); });
  result.subjects = std::move(subjects);
  return result;
}

Inspection inspect(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits, const SubjectSink& sink) {
  Inspection result;
  const Program program(sources);
  result.launches = launches_of(program);
  ByKernel by_kernel;
  for (const Launch& launch : result.launches) by_kernel[launch.kernel].push_back(&launch);
  std::vector<std::pair<std::uint32_t, const std::vector<const Launch*>*>> kernels;  // functions, and their launches
  for (std::uint32_t f = 0; f < program.functions().size(); ++f) {
    if (program.functions()[f].is_kernel) kernels.emplace_back(f, &by_kernel[program.functions()[f].name]);
  }
  for (std::size_t begin = 0; begin < kernels.size(); begin += at_once) {
    std::vector<Inspected> found(std::min(at_once, kernels.size() - begin));
    for_each_in_parallel(found.size(), [&](std::size_t i) {
      const auto& [function, launches] = kernels[begin + i];
      found[i] = inspected(program, function, *launches, limits);
    });
    for (Inspected& one : found) add(std::move(one), result, sink);
  }
  for (const Launch& launch : result.launches) sink(launch_subject(launch));
  return result;
}

}  // namespace frx::derive::cuda
