#include "derive/cuda/inspect.h"

#include <algorithm>
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

// What is found about one kernel.
struct Inspected {
  Kernel kernel;
  model::CodeSubject facts, occupancy;
  model::cuda::LaunchAdvice advice;
};

Inspected inspected(const Program& program, std::uint32_t f, const KernelLaunches& launches, const knowledge::SmLimits* limits) {
  const Trace trace = trace_kernel(program, f);
  const Shape block = launches.first_block.threads() > 0 ? launches.first_block : likely_block(trace);
  const Patterns patterns(trace, block);
  const Words words = words_of(program, trace);
  KernelView view{program, program.functions()[f], trace, patterns, words, block};
  view.dynamic_shared_bytes = launches.dynamic_shared_bytes;
  view.is_launched_by_one_thread = launches.is_by_one_thread;
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
  LaunchesByKernel launches = by_kernel(result.launches);
  std::vector<std::pair<std::uint32_t, const KernelLaunches*>> kernels;  // functions, and their launches
  for (std::uint32_t f = 0; f < program.functions().size(); ++f) {
    if (program.functions()[f].is_kernel) kernels.emplace_back(f, &launches[program.functions()[f].name]);
  }
  for (std::size_t begin = 0; begin < kernels.size(); begin += at_once) {
    std::vector<Inspected> found(std::min(at_once, kernels.size() - begin));
    for_each_in_parallel(found.size(), [&](std::size_t i) {
      const auto& [function, its_launches] = kernels[begin + i];
      found[i] = inspected(program, function, *its_launches, limits);
    });
    for (Inspected& one : found) add(std::move(one), result, sink);
  }
  for (const Launch& launch : result.launches) sink(launch_subject(launch));
  return result;
}

}  // namespace frx::derive::cuda
