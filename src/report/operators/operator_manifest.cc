#include "report/operators/operator_manifest.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "derive/trace/work_times.h"
#include "report/operators/capture_metadata.h"
#include "report/operators/operator_details.h"

namespace frx::report {
namespace {

using derive::trace::OperatorKernel;
using derive::trace::OperatorMethod;
using model::EventKind;
using model::Timeline;

constexpr std::uint32_t none = ManifestKernel::none;

class FromRecording {
 public:
  explicit FromRecording(const OperatorProfile& profile) : profile_(profile), timeline_(profile.timeline) {
    for (const model::KernelShape& shape : timeline_.kernel_shapes) shapes_.emplace(shape.event, &shape);
  }

  OperatorManifest made() {
    fill_capture();
    made_.has_window = profile_.calls.has_window();
    for (const model::Note& note : timeline_.notes) made_.warnings.push_back(note.text);
    made_.kernels.reserve(profile_.calls.kernels.size());
    for (std::size_t i = 0; i < profile_.calls.kernels.size(); ++i) {
      add(profile_.calls.kernels[i]);
      const std::uint32_t module = profile_.modules.module_of(i);
      if (module != derive::trace::none)
        made_.kernels.back().module = made_.names.add(derive::trace::module_name(timeline_.name_of(module)));
    }
    return std::move(made_);
  }

 private:
  void fill_capture() {
    CaptureFacts& capture = made_.capture;
    capture.model_name = profile_.model_name;
    capture.compile_mode = profile_.compile_mode;
    capture.nsys_report = timeline_.source;
    capture.timestamp_utc = utc_text(timeline_.facts.base_time_ns);
    if (!timeline_.facts.gpus.empty()) capture.device_name = timeline_.facts.gpus.front().name;
  }

  std::uint32_t depth_of(std::uint32_t row) const {
    std::uint32_t depth = 0;
    for (row = profile_.calls.enclosing[row]; row != derive::trace::none; row = profile_.calls.enclosing[row]) ++depth;
    return depth;
  }

  std::uint32_t range_of(std::uint32_t row) {
    const auto [at, is_new] = ranges_.try_emplace(row, static_cast<std::uint32_t>(made_.ranges.size()));
    if (is_new) {
      std::string text(timeline_.name_of(row));
      if (const std::string shapes = derive::trace::input_shapes(timeline_, row); shapes.starts_with('[')) text += ", sizes = " + shapes;
      made_.ranges.push_back({std::move(text), "default", depth_of(row), timeline_.start[row], timeline_.end(row)});
    }
    return at->second;
  }

  void attribute(const OperatorKernel& from, ManifestKernel& to) {
    for (std::uint32_t row = from.inner; row != derive::trace::none; row = profile_.calls.enclosing[row]) {
      const std::string_view name = timeline_.name_of(row);
      to.enclosing.push_back(range_of(row));
      const bool has_operator = from.method == OperatorMethod::range || from.method == OperatorMethod::capture;
      if (timeline_.kind[row] == EventKind::cpu_op && has_operator) to.operators.push_back(made_.names.add(name));
      const bool is_unique = name.starts_with(unique_layer);
      if (to.layer == none && (is_unique || name.starts_with(duplicate_layer))) {
        to.layer = made_.names.add(name.substr(is_unique ? unique_layer.size() : duplicate_layer.size()));
        to.is_unique_layer = is_unique;
      }
    }
    if (from.range != derive::trace::none) to.range = range_of(from.range);
    if (from.method == OperatorMethod::scope) to.operators = {made_.names.add(timeline_.name_of(from.range))};
    to.is_before_window = from.method == OperatorMethod::before;
    if (!derive::trace::is_attributed(from.method)) return;
    const bool is_captured = from.method == OperatorMethod::capture;
    to.method = is_captured ? "graph_node" : "nvtx";
    to.confidence = is_captured ? "medium" : from.method == OperatorMethod::range ? "high" : "low";
  }

  void add(const OperatorKernel& from) {
    const model::Track& track = timeline_.tracks[timeline_.track[from.event]];
    ManifestKernel& to = made_.kernels.emplace_back();
    to.id = fmt::format("k_{:05}", made_.kernels.size() - 1);
    to.name = made_.names.add(timeline_.name_of(from.event));
    to.stream = track.stream;
    to.device = track.device;
    to.start_ns = timeline_.start[from.event];
    to.duration_ns = timeline_.duration[from.event];
    to.iteration = from.iteration;
    if (from.forward != derive::trace::none) to.forward = made_.names.add(timeline_.name_of(from.forward));
    if (const auto shape = shapes_.find(from.event); shape != shapes_.end()) {
      to.grid = shape->second->grid;
      to.block = shape->second->block;
      if (shape->second->registers_per_thread > 0) {  // as in exports that have the columns
        to.registers = shape->second->registers_per_thread;
        if (shape->second->dynamic_shared_bytes != model::KernelShape::not_recorded)
          to.dynamic_shared = shape->second->dynamic_shared_bytes;
      }
      if (shape->second->mangled != Timeline::no_id) to.mangled = made_.names.add(timeline_.names[shape->second->mangled]);
    }
    attribute(from, to);
  }

  const OperatorProfile& profile_;
  const Timeline& timeline_;
  std::unordered_map<std::uint32_t, const model::KernelShape*> shapes_;  // by row
  std::unordered_map<std::uint32_t, std::uint32_t> ranges_;              // by row
  OperatorManifest made_;
};

}  // namespace

OperatorManifest manifest_of(const OperatorProfile& profile) { return FromRecording(profile).made(); }

std::vector<ManifestOperator> operators_in(const OperatorManifest& manifest) {
  std::vector<ManifestOperator> calls;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_range;  // and name, for a file may say anything
  for (std::uint32_t i = 0; i < manifest.kernels.size(); ++i) {
    const ManifestKernel& kernel = manifest.kernels[i];
    if (!kernel.is_attributed()) continue;
    std::size_t call = calls.size();
    if (kernel.range != none) call = by_range.try_emplace({kernel.range, kernel.operators.front()}, calls.size()).first->second;
    if (call == calls.size()) calls.push_back({kernel.operators.front(), 0, kernel.range, {}, 0});
    calls[call].kernels.push_back(i);
    calls[call].gpu_ns += kernel.duration_ns;
  }
  const auto start_of = [&](const ManifestOperator& call) {
    const std::int64_t kernel = manifest.kernels[call.kernels.front()].start_ns;
    return std::pair(call.range == none ? kernel : manifest.ranges[call.range].start_ns, kernel);
  };
  std::ranges::stable_sort(calls, {}, start_of);
  std::unordered_map<std::uint32_t, std::uint32_t> seen;  // by name
  for (ManifestOperator& call : calls) call.index = seen[call.name]++;
  return calls;
}

OperatorReport operator_report_of(const OperatorManifest& manifest, std::string_view source) {
  OperatorReport report;
  report.source = source;
  report.gpu = manifest.capture.device_name;
  std::set<std::uint32_t> iterations;
  PartSums parts;
  for (const ManifestKernel& kernel : manifest.kernels) {
    ++report.kernels;
    report.kernel_ns += kernel.duration_ns;
    if (kernel.iteration) iterations.insert(*kernel.iteration);
    if (!kernel.is_before_window)
      parts.add(kernel.is_attributed() ? std::string_view(manifest.names[kernel.operators.front()]) : std::string_view(),
                manifest.name_of(kernel), kernel.duration_ns);
    if (kernel.is_attributed()) continue;
    KernelShare& left = kernel.is_before_window ? report.before_window : report.unattributed;
    ++left.kernels;
    left.gpu_ns += kernel.duration_ns;
  }
  std::unordered_map<std::uint32_t, std::size_t> by_name;
  for (const ManifestOperator& call : operators_in(manifest)) {
    const auto [at, is_new] = by_name.try_emplace(call.name, report.operators.size());
    if (is_new) report.operators.emplace_back().name = manifest.names[call.name];
    OperatorSum& sum = report.operators[at->second];
    ++sum.calls;
    sum.kernels += call.kernels.size();
    sum.gpu_ns += call.gpu_ns;
    for (const std::uint32_t kernel : call.kernels) {
      if (manifest.kernels[kernel].duration_ns <= sum.longest_ns && !sum.longest_kernel.empty()) continue;
      sum.longest_ns = manifest.kernels[kernel].duration_ns;
      sum.longest_kernel = manifest.name_of(manifest.kernels[kernel]);
    }
    sum.is_scope = manifest.kernels[call.kernels.front()].confidence == "low";
  }
  if (manifest.has_window) report.iterations = iterations.size();
  std::ranges::stable_sort(report.operators, std::ranges::greater{}, &OperatorSum::gpu_ns);
  report.parts = parts.parts();
  report.notes = manifest.warnings;
  return report;
}

}  // namespace frx::report
