#include "derive/cuda/inspect.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/free_memory.h"
#include "base/kept_threads.h"
#include "base/parallel.h"
#include "base/text.h"
#include "derive/cuda/facts.h"
#include "derive/cuda/fused_passes.h"
#include "derive/cuda/launches.h"
#include "derive/cuda/run_time_indices.h"

namespace frx::derive::cuda {
namespace {

using model::cuda::Inspection;
using model::cuda::Kernel;
using model::cuda::Launch;

// How many kernels are analysed together, with their files unpacked.
constexpr std::size_t at_once = 192;

// Files by name; of several with one name the first counts.
class Files {
 public:
  explicit Files(const Sources& sources) : sources_(sources) {
    for (std::uint32_t i = 0; i < sources.size(); ++i) by_name_.try_emplace(sources.without_syntax(i).name, i);
  }
  std::string line(const model::TextPlace& place) const {
    const auto at = by_name_.find(place.file);
    if (at == by_name_.end()) return "";
    // A program on one line would be repeated for each finding.
    return clip(trim(sources_.without_syntax(at->second).line(place.line)), model::cuda::longest_snippet);
  }

 private:
  const Sources& sources_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
};

std::vector<model::Finding> judged(const model::CodeSubject& subject, const Judge& judge, const Files& files) {
  std::vector<model::Finding> findings = judge(subject);
  for (model::Finding& finding : findings) finding.snippet = files.line(finding.place());
  return findings;
}

// The results for one kernel.
struct Inspected {
  Kernel kernel;
  std::vector<model::CodeSubject> subjects;  // facts about the kernel, and its occupancy
  std::vector<model::Finding> findings;
  model::cuda::LaunchAdvice advice;
  MemoryUse memory;  // of a kernel for which that was asked
  std::uint64_t steps = 0;

  void judge_by(const Judge& judge, const Files& files) {
    for (const model::CodeSubject& subject : subjects) std::ranges::move(judged(subject, judge, files), std::back_inserter(findings));
    subjects = {};
  }
};

Inspected inspected(const Program& program, std::uint32_t f, const KernelLaunches& launches, const TargetGpu& gpu, std::uint64_t steps,
                    bool asks_for_memory) {
  const Trace trace = trace_kernel(program, f, steps, launches.with);
  const Shape block = launches.first_block.threads() > 0 ? launches.first_block : likely_block(trace);
  const Patterns patterns(trace, block);
  const NameFacts names = name_facts_of(program, trace);
  KernelView view{program, program.functions()[f], trace, patterns, names, block};
  view.indexed_at_run_time = run_time_indexed_accesses(trace);
  view.dynamic_shared_bytes = launches.dynamic_shared_bytes;
  view.is_launched_by_one_thread = launches.is_by_one_thread;
  view.is_launched = launches.count > 0;
  view.is_handed_on = launches.is_handed_on;
  view.is_one_block = launches.count > 0 && launches.single_blocks == launches.count;
  view.is_of_constant_size = launches.count > 0 && !launches.has_open_size;
  view.fits_data = launches.count > 0 && launches.rounded_down == launches.count;
  view.exceeds_data = launches.rounds_up;
  for (std::size_t axis = 0; axis < 2; ++axis)
    view.has_blocks_beyond[axis] = launches.count > 0 && launches.rounded_up[axis] == launches.count;
  view.is_block_launched = launches.first_block.threads() > 0;
  Inspected result{kernel_of(view), {}, {}, {}, {}, trace.steps};
  result.subjects.reserve(2);
  result.subjects.push_back(facts_of(view, result.kernel));
  add_single_block(view, launches, result.subjects.back());
  add_fixed_grid(view, launches, gpu.sm_count, result.subjects.back());
  add_left_out(view, launches, result.subjects.back());
  add_launch_bounds(result.kernel, launches, result.subjects.back());
  result.subjects.push_back(occupancy_subject(result.kernel, launches, gpu));
  if (asks_for_memory) result.memory = memory_use(view);
  result.advice = advice_for(result.kernel, launches, gpu.limits);
  return result;
}

void add(Inspected&& one, Judged& into) {
  std::ranges::move(one.subjects, std::back_inserter(into.inspection.subjects));
  into.inspection.advice.push_back(std::move(one.advice));
  into.inspection.kernels.push_back(std::move(one.kernel));
}

// Findings of some kernels after others. One vector that grows would be copied, and half empty: they are most of what is kept.
class AllFindings {
 public:
  template <typename Some>
  void add(std::span<Some> some) {
    std::size_t count = 0;
    for (const Some& one : some) count += one.findings.size();
    std::vector<model::Finding>& more = parts_.emplace_back();
    more.reserve(count);
    for (Some& one : some) std::ranges::move(std::exchange(one.findings, {}), std::back_inserter(more));
    count_ += count;
  }
  void add(std::vector<model::Finding>&& more) {
    count_ += more.size();
    parts_.push_back(std::move(more));
  }
  std::vector<model::Finding> take() {
    std::vector<model::Finding> all;
    all.reserve(count_);
    for (std::vector<model::Finding>& part : parts_) std::ranges::move(std::exchange(part, {}), std::back_inserter(all));
    return all;
  }

 private:
  std::vector<std::vector<model::Finding>> parts_;
  std::size_t count_ = 0;
};

std::vector<model::Finding> judged_launches(const std::vector<Launch>& launches, const Judge& judge, const Files& files) {
  std::vector<std::vector<model::Finding>> found(launches.size());
  for_each_in_parallel(found.size(), [&](std::size_t i) { found[i] = judged(launch_subject(launches[i]), judge, files); });
  std::vector<model::Finding> findings;
  for (auto& some : found) std::ranges::move(some, std::back_inserter(findings));
  return findings;
}

std::vector<model::Finding> judged_passes(const FusedPasses& passes, const Judge& judge) {
  std::vector<model::Finding> findings;
  for (const auto& [subject, line] : passes.found()) {
    for (model::Finding& finding : judge(subject)) {
      finding.snippet = line;
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

// Releases files that no later kernel can lead to, while kernels are analysed in the order of their files.
class FileReleaser {
 public:
  FileReleaser(const Sources& sources, const std::vector<std::uint32_t>& last_users) : sources_(sources) {
    for (std::uint32_t i = 0; i < last_users.size(); ++i) by_last_user_.emplace_back(last_users[i], i);
    std::ranges::sort(by_last_user_, std::greater<>());
  }
  void release_before(std::uint32_t file) {
    for (; !by_last_user_.empty() && by_last_user_.back().first < file; by_last_user_.pop_back()) {
      sources_.release(by_last_user_.back().second);
      if (++released_ % worth_returning == 0) return_free_memory();
    }
  }

 private:
  const Sources& sources_;
  static constexpr std::uint32_t worth_returning = 256;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_last_user_;  // in descending order
  std::uint32_t released_ = 0;
};

// By function, with their launches. `handed_on`: names of kernels that are passed to functions.
std::vector<std::pair<std::uint32_t, const KernelLaunches*>> kernels_to_inspect(const Program& program,
                                                                                const std::set<std::uint32_t>& handed_on,
                                                                                LaunchesByKernel& launches) {
  std::vector<std::pair<std::uint32_t, const KernelLaunches*>> kernels;
  for (std::uint32_t f = 0; f < program.functions().size(); ++f) {
    const Function& function = program.functions()[f];
    if (program.sources().without_syntax(function.at.source).is_included || !function.is_kernel) continue;
    KernelLaunches& its_launches = launches[function.name];
    ++its_launches.kernels;
    its_launches.is_handed_on = handed_on.contains(program.defined(function.name));
    kernels.emplace_back(f, &its_launches);
  }
  return kernels;
}

// Keeps all subjects when there is no judge.
Judged inspected_all(const Sources& sources, const TargetGpu& gpu, const Judge& judge) {
  Judged result;
  const KeptThreads threads;
  const Program program(sources);
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const auto& unread = sources.without_syntax(i).kernels_not_read;
    result.inspection.not_read.insert(result.inspection.not_read.end(), unread.begin(), unread.end());
  }
  ProgramLaunches of_program = launches_of(program);
  FileReleaser releaser(sources, last_users(program, of_program.mentions));
  result.inspection.launches = std::move(of_program.launches);
  std::set<std::uint32_t> handed_on;  // names of kernels
  for (const Mentions& mentions : of_program.mentions) handed_on.insert(mentions.handed_on.begin(), mentions.handed_on.end());
  of_program = {};
  const Files files(sources);
  std::vector<model::Finding> about_launches;  // determined now, while all files are there
  if (judge) about_launches = judged_launches(result.inspection.launches, judge, files);
  FusedPasses passes(result.inspection.launches, [&files](const model::TextPlace& place) { return files.line(place); });
  LaunchesByKernel launches = by_kernel(result.inspection.launches);
  const auto kernels = kernels_to_inspect(program, handed_on, launches);
  StepBudget budget(program);
  AllFindings findings;
  result.inspection.kernels.reserve(kernels.size());
  result.inspection.advice.reserve(kernels.size());
  for (std::size_t begin = 0; begin < kernels.size(); begin += at_once) {
    const std::size_t end = std::min(begin + at_once, kernels.size());
    std::vector<Inspected> found(end - begin);
    const auto file_of = [&](std::size_t k) { return program.functions()[kernels[k].first].at.source; };
    // Files are unpacked first, so that no thread waits for another one that unpacks; files in between have no kernels.
    std::vector<std::uint32_t> their_files;
    for (std::size_t k = begin; k < end; ++k) {
      if (their_files.empty() || their_files.back() != file_of(k)) their_files.push_back(file_of(k));
    }
    for_each_in_parallel(their_files.size(), [&](std::size_t i) { sources[their_files[i]]; });
    const std::uint64_t share = budget.share_of(found.size());
    for_each_in_parallel(found.size(), [&](std::size_t i) {
      const auto& [function, its_launches] = kernels[begin + i];
      found[i] = inspected(program, function, *its_launches, gpu, share, passes.asks_for(program.functions()[function].name));
      if (judge) found[i].judge_by(judge, files);
    });
    findings.add(std::span(found));
    for (Inspected& one : found) {
      budget.spend(one.steps);
      if (passes.asks_for(one.kernel.name)) passes.add(one.kernel.name, std::move(one.memory));
      add(std::move(one), result);
    }
    sources.pack_all();
    if (end < kernels.size()) releaser.release_before(file_of(end));
  }
  findings.add(std::move(about_launches));
  if (judge) {
    findings.add(judged_passes(passes, judge));
    result.findings = findings.take();
    return result;
  }
  for (auto& [subject, line] : passes.found()) result.inspection.subjects.push_back(std::move(subject));
  for (const Launch& launch : result.inspection.launches) result.inspection.subjects.push_back(launch_subject(launch));
  return result;
}

}  // namespace

Inspection inspect(std::span<const model::cuda::Source> sources, const TargetGpu& gpu) {
  return inspected_all(Sources(sources), gpu, {}).inspection;
}

Judged inspect_and_judge(std::span<model::cuda::Source> sources, const TargetGpu& gpu, const Judge& judge) {
  return inspected_all(Sources(sources), gpu, judge);
}

}  // namespace frx::derive::cuda
