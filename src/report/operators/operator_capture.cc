#include "report/operators/operator_capture.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "derive/compare/operator_names.h"
#include "derive/trace/steps.h"
#include "derive/trace/work_times.h"
#include "report/operators/capture_metadata.h"
#include "report/operators/operator_details.h"
#include "report/recorder_words.h"

namespace frx::report {
namespace {

using derive::compare::canonical_name;
using derive::trace::OperatorKernel;
using derive::trace::OperatorMethod;
using model::Timeline;

// Which step a moment is in; of one process, or of all where only one has steps.
class StepFinder {
 public:
  explicit StepFinder(const Timeline& timeline) : timeline_(timeline) {
    for (derive::trace::Steps& steps : derive::trace::find_steps(timeline)) {
      if (steps.source == model::StepSource::recording) continue;
      std::ranges::sort(steps.steps, {}, [](const derive::trace::Step& step) { return step.span.begin; });
      by_process_.emplace(steps.pid, std::move(steps.steps));
    }
  }

  bool has_steps() const { return !by_process_.empty(); }

  // Of the launch of a kernel; of its own start where the launch was not recorded.
  std::optional<std::int64_t> step_of(const OperatorKernel& kernel) const {
    const std::uint32_t row = kernel.launch == derive::trace::none ? kernel.event : kernel.launch;
    const auto process = by_process_.size() == 1 ? by_process_.begin() : by_process_.find(timeline_.tracks[timeline_.track[row]].pid);
    if (process == by_process_.end()) return std::nullopt;
    const auto after = std::ranges::upper_bound(process->second, timeline_.start[row], {},
                                                [](const derive::trace::Step& step) { return step.span.begin; });
    if (after == process->second.begin() || timeline_.start[row] >= (after - 1)->span.end) return std::nullopt;
    return (after - 1)->number;
  }

 private:
  const Timeline& timeline_;
  std::map<std::string, std::vector<derive::trace::Step>> by_process_;
};

// The rows of the kernels of a recording.
class RowFinder {
 public:
  RowFinder(const OperatorProfile& profile, CaptureBuilder& builder) : profile_(profile), builder_(builder) {}

  std::uint32_t row_of(const OperatorKernel& kernel) {
    const Timeline& timeline = profile_.timeline;
    const bool has_operator = kernel.method == OperatorMethod::range || kernel.method == OperatorMethod::capture;
    if (!has_operator) {
      const bool is_scope = kernel.method == OperatorMethod::scope;
      return builder_.row_of_kernel(timeline.name_of(kernel.event), is_scope ? timeline.name_of(kernel.range) : std::string_view());
    }
    const auto [at, is_new] = by_range_.try_emplace(kernel.range, 0);
    if (is_new) at->second = builder_.row(timeline.name_of(kernel.range), derive::trace::input_shapes(timeline, kernel.range));
    return at->second;
  }

 private:
  const OperatorProfile& profile_;
  CaptureBuilder& builder_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_range_;
};

CaptureFacts facts_of(const OperatorProfile& profile, const OperatorReport& report) {
  CaptureFacts facts;
  facts.model_name.clear();  // a recording does not know it
  facts.compile_mode = profile.compile_mode;
  facts.device_name = report.gpu;
  facts.timestamp_utc = utc_text(profile.timeline.facts.base_time_ns);
  return facts;
}

}  // namespace

double OperatorCapture::ns_per_iteration() const { return std::accumulate(iteration_ns.begin(), iteration_ns.end(), 0.0) / iterations(); }

bool OperatorCapture::has_shapes() const {
  return std::ranges::any_of(operators, [](const CapturedOperator& one) { return !one.shapes.empty(); });
}

std::uint32_t CaptureBuilder::row(std::string_view name, std::string_view shapes, bool is_scope) {
  const auto [at, is_new] = rows_.try_emplace({std::string(canonical_name(name)), derive::trace::uniform_shapes(shapes)},
                                              static_cast<std::uint32_t>(operators_.size()));
  if (is_new) {
    CapturedOperator& one = operators_.emplace_back();
    one.name = at->first.first;
    one.shapes = at->first.second;
    one.is_scope = is_scope;
  }
  return at->second;
}

std::uint32_t CaptureBuilder::row_of_kernel(std::string_view kernel, std::string_view scope) {
  if (derive::compare::is_fused_name(kernel)) return row(kernel, "");
  return derive::trace::is_numbered_step(scope) ? row("", "") : row(scope, "", !scope.empty());
}

void CaptureBuilder::add(std::uint32_t row, std::optional<std::int64_t> iteration, std::int64_t gpu_ns) {
  kernels_.push_back({row, iteration, gpu_ns});
}

double CaptureBuilder::share_in_iterations() const {
  double all = 0, inside = 0;
  for (const Kernel& kernel : kernels_) {
    all += static_cast<double>(kernel.gpu_ns);
    if (kernel.iteration) inside += static_cast<double>(kernel.gpu_ns);
  }
  return all > 0 ? inside / all : 0;
}

void CaptureBuilder::finish(OperatorCapture& capture, IterationSource by) {
  capture.iterations_by = by;
  if (by == IterationSource::none) {
    for (Kernel& kernel : kernels_) kernel.iteration = 0;
  }
  const auto left_out = std::ranges::stable_partition(kernels_, [](const Kernel& kernel) { return kernel.iteration.has_value(); });
  for (const Kernel& kernel : left_out) {
    ++capture.outside.kernels;
    capture.outside.gpu_ns += kernel.gpu_ns;
  }
  kernels_.erase(left_out.begin(), left_out.end());
  std::vector<std::int64_t> numbers;
  for (const Kernel& kernel : kernels_) numbers.push_back(*kernel.iteration);
  std::ranges::sort(numbers);
  const auto twins = std::ranges::unique(numbers);
  numbers.erase(twins.begin(), twins.end());
  capture.iteration_ns.assign(std::max<std::size_t>(1, numbers.size()), 0);
  std::ranges::stable_sort(kernels_, {}, [](const Kernel& kernel) { return std::pair(kernel.row, *kernel.iteration); });
  for (const Kernel& kernel : kernels_) {
    const auto iteration = static_cast<std::uint32_t>(std::ranges::lower_bound(numbers, *kernel.iteration) - numbers.begin());
    CapturedOperator& one = operators_[kernel.row];
    if (one.times.empty() || one.times.back().iteration != iteration) one.times.push_back({iteration, 0});
    one.times.back().gpu_ns += kernel.gpu_ns;
    one.gpu_ns += kernel.gpu_ns;
    ++one.kernels;
    capture.iteration_ns[iteration] += static_cast<double>(kernel.gpu_ns);
  }
  capture.kernels = kernels_.size();
  std::erase_if(operators_, [](const CapturedOperator& one) { return one.kernels == 0; });
  capture.operators = std::move(operators_);
}

OperatorCapture operator_capture_of(const OperatorProfile& profile) {
  const Timeline& timeline = profile.timeline;
  OperatorReport report = operator_report_of(profile, OperatorGrouping::by_operator);
  add_unattributed_flag(report, ": its launch is outside of the recording or of all ranges");
  add_flags(report, profile);
  OperatorCapture capture;
  capture.source = timeline.source;
  const bool is_nsys = timeline.facts.recorder == model::Recorder::nsight_systems;
  capture.kind = is_nsys ? "export of Nsight Systems" : "trace of the PyTorch profiler";
  capture.how_to_mark = recorder_words(timeline.facts.recorder).steps;
  capture.facts = facts_of(profile, report);
  capture.flags = std::move(report.flags);
  CaptureBuilder builder;
  RowFinder rows(profile, builder);
  const StepFinder steps(timeline);
  const bool has_window = profile.calls.has_window();
  for (const OperatorKernel& kernel : profile.calls.kernels) {
    std::optional<std::int64_t> iteration;
    if (kernel.method != OperatorMethod::before && has_window) iteration = kernel.iteration;
    if (!has_window) iteration = steps.step_of(kernel);
    builder.add(rows.row_of(kernel), iteration, timeline.duration[kernel.event]);
  }
  constexpr double least_in_steps = 0.9;
  const bool has_steps = steps.has_steps() && builder.share_in_iterations() >= least_in_steps;
  builder.finish(capture, has_window ? IterationSource::window : has_steps ? IterationSource::steps : IterationSource::none);
  return capture;
}

}  // namespace frx::report
