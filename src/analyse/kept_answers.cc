#include "analyse/kept_answers.h"

#include <algorithm>
#include <cmath>

#include "report/operators/json_members.h"

namespace frx::analyse {
namespace {

using answer::Json;
using report::text_of;

const Json nothing;

const Json& member(const Json& at, std::string_view key) {
  if (!at.is_object()) return nothing;
  const auto found = at.find(key);
  return found == at.end() ? nothing : *found;
}

std::optional<double> number_of(const Json& at, std::string_view key) {
  const Json& value = member(at, key);
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::uint64_t count_of(const Json& at, std::string_view key) {
  constexpr double most = 1e15;
  return static_cast<std::uint64_t>(std::clamp(number_of(at, key).value_or(0), 0.0, most));
}

std::vector<model::Finding> findings_in(const Json& list, const knowledge::Knowledge& knowledge) {
  std::vector<model::Finding> findings;
  for (const Json& one : list) {
    const knowledge::Label* const label = knowledge.labels.with_id(text_of(one, "label"));
    if (!label) continue;
    model::Finding finding;
    finding.type = label;
    finding.score = std::clamp(number_of(one, "score").value_or(0), 0.0, 1.0);
    findings.push_back(std::move(finding));
  }
  return findings;
}

report::LaunchShape shape_in(const Json& one) {
  report::LaunchShape shape;
  shape.grid = text_of(one, "grid");
  shape.block = text_of(one, "block");
  shape.launches = count_of(one, "launch_count");
  shape.duration_us = number_of(one, "duration_us");
  return shape;
}

report::Kernel kernel_in(const Json& one) {
  report::Kernel kernel;
  kernel.name = text_of(one, "kernel_name");
  kernel.short_name = text_of(one, "short_name");
  kernel.launches = count_of(one, "launch_count");
  kernel.duration_us = number_of(one, "duration_us");
  kernel.timed_launches = kernel.duration_us ? kernel.launches : 0;
  kernel.primary = text_of(one, "primary_bottleneck");
  for (const Json& shape : member(one, "launch_shapes")) kernel.shapes.push_back(shape_in(shape));
  return kernel;
}

std::vector<report::Value> values_in(const Json& summary, const knowledge::Knowledge& knowledge) {
  std::vector<report::Value> values;
  for (const knowledge::MetricTables::Named& named : knowledge.tables.averages) {
    const std::optional<double> number = number_of(summary, named.key);
    if (!number) continue;
    report::Value value{};
    value.id = named.id;
    value.label = named.key;
    value.reading.value = *number;
    values.push_back(value);
  }
  return values;
}

}  // namespace

report::ComparedRun kept_run(const Json& answer, std::string label) {
  report::ComparedRun run;
  const Json &steady = member(answer, "steady_state"), &whole = member(answer, "run"), &trace = member(answer, "trace");
  const bool is_steady = !member(steady, "per_step").empty();
  const Json& scope = is_steady ? steady : whole;
  run.label = std::move(label);
  run.source = text_of(answer, text_of(answer, "schema") == "trace_analysis_v1" ? "filename" : "source");
  run.evidence = text_of(answer, "evidence");
  if (run.evidence.empty()) run.evidence = "profiler trace";
  for (const Json& device : member(trace, "devices")) {
    if (run.gpus.empty()) run.gpus = text_of(device, "name");
  }
  if (const std::optional<double> size = number_of(trace, "world_size"); size && *size >= 1 && *size < 1e6)
    run.world_size = static_cast<int>(*size);
  run.primary = text_of(member(scope, "diagnosis"), "user_facing_bottleneck");
  run.has_steps = text_of(trace, "step_source") != "none";
  for (const Json& step : member(scope, "per_step")) {
    if (const std::optional<double> ns = number_of(step, "step_wall_time_ns"); ns && *ns > 0) run.step_ns.push_back(*ns);
  }
  if (is_steady) run.skipped = member(whole, "per_step").size() - std::min(member(whole, "per_step").size(), run.step_ns.size());
  run.layout_copy_share = number_of(member(member(answer, "gpu_use"), "kernels"), "layout_copy_share");
  return run;
}

report::NcuReport kept_profile(const Json& answer, std::string label, const knowledge::Knowledge& knowledge) {
  report::NcuReport report;
  report.tables = &knowledge.tables;
  report.source = std::move(label);
  report.format = text_of(answer, "format");
  report.launches = count_of(answer, "launch_count");
  const Json &summary = member(answer, "ncu_run_summary"), &gpu = member(answer, "gpu");
  report.duration_us = number_of(summary, "total_kernel_duration_us");
  report.gpu = text_of(gpu, "description");
  report.gpu_name = text_of(gpu, "name");
  report.compute_capability = text_of(gpu, "compute_capability");
  report.primary = text_of(answer, "primary_bottleneck");
  if (const knowledge::Label* const leading = knowledge.labels.with_id(report.primary)) report.primary_display = leading->display;
  report.confidence = text_of(member(answer, "diagnostic_scope"), "confidence");
  report.findings = findings_in(member(answer, "bottlenecks"), knowledge);
  report.values = values_in(summary, knowledge);
  for (const Json& one : member(answer, "kernels")) report.kernels.push_back(kernel_in(one));
  for (const report::Kernel& kernel : report.kernels) report.timed_launches += kernel.timed_launches;
  report.kernels_with_data = count_of(answer, "kernels_with_ncu_data");
  return report;
}

}  // namespace frx::analyse
