#include "report/operators/operator_profile.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "derive/trace/attribution.h"
#include "report/recorder_words.h"

namespace frx::report {
namespace {

using derive::trace::OperatorCall;
using derive::trace::OperatorKernel;
using derive::trace::OperatorMethod;
using model::Timeline;

void add_kernel(OperatorSum& sum, std::string_view kernel, std::int64_t ns) {
  ++sum.kernels;
  sum.gpu_ns += ns;
  if (ns <= sum.longest_ns) return;
  sum.longest_ns = ns;
  sum.longest_kernel = kernel;
}

void add_notes(const OperatorProfile& profile, OperatorReport& report) {
  for (const model::Note& note : profile.timeline.notes) report.notes.push_back(note.text);
  const RecorderWords& words = recorder_words(profile.timeline.facts.recorder);
  if (report.operators.empty() && report.kernels > 0)
    report.notes.push_back(fmt::format("no operators were recorded, so kernels cannot be attributed ({})", words.operators));
}

std::string gpu_of(const Timeline& timeline) {
  std::set<std::string> names;
  for (const model::TracedGpu& gpu : timeline.facts.gpus) names.insert(gpu.name);
  return names.size() == 1 ? *names.begin() : "";
}

}  // namespace

std::string_view operator_group_of(const OperatorProfile& profile, std::size_t kernel, OperatorGrouping grouping) {
  const Timeline& timeline = profile.timeline;
  if (grouping == OperatorGrouping::by_kernel) return timeline.name_of(profile.calls.kernels[kernel].event);
  if (grouping == OperatorGrouping::by_operator) return timeline.name_of(profile.calls.kernels[kernel].range);
  const std::uint32_t row = profile.modules.module_of(kernel);
  return row == derive::trace::none ? "(no module)" : derive::trace::module_name(timeline.name_of(row));
}

OperatorProfile operator_profile_of(Timeline timeline) {
  OperatorProfile profile;
  profile.timeline = std::move(timeline);
  profile.calls = derive::trace::operator_calls(profile.timeline, derive::trace::attribute(profile.timeline));
  profile.modules = derive::trace::module_ranges(profile.timeline, profile.calls.kernels);
  return profile;
}

OperatorReport operator_report_of(const OperatorProfile& profile, OperatorGrouping grouping) {
  const Timeline& timeline = profile.timeline;
  OperatorReport report;
  report.source = timeline.source;
  report.gpu = gpu_of(timeline);
  std::unordered_map<std::string_view, std::size_t> by_name;
  std::set<std::uint32_t> iterations;
  const auto sum_of = [&](std::string_view name) -> OperatorSum& {
    const auto [at, is_new] = by_name.try_emplace(name, report.operators.size());
    if (is_new) report.operators.emplace_back().name = name;
    return report.operators[at->second];
  };
  for (std::size_t i = 0; i < profile.calls.kernels.size(); ++i) {
    const OperatorKernel& kernel = profile.calls.kernels[i];
    const std::int64_t ns = timeline.duration[kernel.event];
    ++report.kernels;
    report.kernel_ns += ns;
    if (kernel.iteration) iterations.insert(*kernel.iteration);
    const bool is_known = derive::trace::is_attributed(kernel.method);
    KernelShare* const left = kernel.method == OperatorMethod::before ? &report.before_window : is_known ? nullptr : &report.unattributed;
    if (left) {
      ++left->kernels;
      left->gpu_ns += ns;
      continue;
    }
    OperatorSum& sum = sum_of(operator_group_of(profile, i, grouping));
    add_kernel(sum, timeline.name_of(kernel.event), ns);
    sum.is_scope = grouping == OperatorGrouping::by_operator && kernel.method == OperatorMethod::scope;
  }
  for (const OperatorCall& call : profile.calls.calls) ++sum_of(operator_group_of(profile, call.kernels.front(), grouping)).calls;
  if (profile.calls.has_window()) report.iterations = iterations.size();
  std::ranges::stable_sort(report.operators, std::ranges::greater{}, &OperatorSum::gpu_ns);
  add_notes(profile, report);
  return report;
}

}  // namespace frx::report
