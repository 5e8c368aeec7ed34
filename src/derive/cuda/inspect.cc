#include "derive/cuda/inspect.h"

#include <algorithm>
#include <iterator>
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

// Kernels that wait for those before them at the same time.
constexpr std::size_t at_once = 1024;

// What is found about one kernel.
struct Inspected {
  Kernel kernel;
  std::vector<model::CodeSubject> subjects;  // facts about the kernel, and its occupancy
  std::vector<model::CodeFinding> findings;
  model::cuda::LaunchAdvice advice;

  void judge_by(const Judge& judge) {
    for (const model::CodeSubject& subject : subjects) std::ranges::move(judge(subject), std::back_inserter(findings));
    subjects = {};
  }
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
  result.subjects.reserve(2);
  result.subjects.push_back(facts_of(view, result.kernel));
  result.subjects.push_back(occupancy_subject(result.kernel, launches, limits));
  result.advice = advice_for(result.kernel, launches, limits);
  return result;
}

void add(Inspected&& one, Judged& into) {
  std::ranges::move(one.subjects, std::back_inserter(into.inspection.subjects));
  std::ranges::move(one.findings, std::back_inserter(into.findings));
  into.inspection.advice.push_back(std::move(one.advice));
  into.inspection.kernels.push_back(std::move(one.kernel));
}

void judge_launches(const Judge& judge, Judged& into) {
  const std::vector<Launch>& launches = into.inspection.launches;
  std::vector<std::vector<model::CodeFinding>> found(launches.size());
  for_each_in_parallel(found.size(), [&](std::size_t i) { found[i] = judge(launch_subject(launches[i])); });
  for (auto& some : found) std::ranges::move(some, std::back_inserter(into.findings));
}

// Without a judge, all subjects are kept.
Judged inspected_all(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits, const Judge& judge) {
  Judged result;
  const Program program(sources);
  result.inspection.launches = launches_of(program);
  LaunchesByKernel launches = by_kernel(result.inspection.launches);
  std::vector<std::pair<std::uint32_t, const KernelLaunches*>> kernels;  // functions, and their launches
  for (std::uint32_t f = 0; f < program.functions().size(); ++f) {
    if (program.functions()[f].is_kernel) kernels.emplace_back(f, &launches[program.functions()[f].name]);
  }
  for (std::size_t begin = 0; begin < kernels.size(); begin += at_once) {
    std::vector<Inspected> found(std::min(at_once, kernels.size() - begin));
    for_each_in_parallel(found.size(), [&](std::size_t i) {
      const auto& [function, its_launches] = kernels[begin + i];
      found[i] = inspected(program, function, *its_launches, limits);
      if (judge) found[i].judge_by(judge);
    });
    for (Inspected& one : found) add(std::move(one), result);
  }
  if (judge) {
    judge_launches(judge, result);
  } else {
    for (const Launch& launch : result.inspection.launches) result.inspection.subjects.push_back(launch_subject(launch));
  }
  return result;
}

}  // namespace

Inspection inspect(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits) {
  return inspected_all(sources, limits, {}).inspection;
}

Judged inspect_and_judge(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits, const Judge& judge) {
  return inspected_all(sources, limits, judge);
}

}  // namespace frx::derive::cuda
