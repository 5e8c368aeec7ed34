#include "ingest/run_events/read_summary.h"

#include <algorithm>

#include "base/text.h"
#include "ingest/run_events/json_fields.h"
#include "ingest/run_events/step_rows.h"

namespace frx::ingest {
namespace {

using model::RunRecord;

constexpr std::string_view our_schema = "run_analysis_v1";
constexpr std::int64_t longest_time_ns = 1'000'000'000'000'000;

std::int64_t time(const Json& object, const char* key) {
  return std::clamp<std::int64_t>(whole(object, key).value_or(0), 0, longest_time_ns);
}

std::optional<double> above_zero(std::optional<double> value) { return value && *value > 0 ? value : std::nullopt; }

StepRow step_of(const Json& json, std::int64_t id) {
  StepRow step;
  step.id = id;
  step.status = text(json, "status");
  step.kind = text(json, "step_kind");
  step.wall_ns = time(json, "step_wall_time_ns");
  // Our own summaries divide the wait: the part before the step is in the sum.
  step.loader_before_ns = std::min(time(json, "dataloader_wait_before_step_ns"), time(json, "dataloader_wait_time_ns"));
  step.loader_ns = time(json, "dataloader_wait_time_ns") - step.loader_before_ns;
  step.host_to_device_ns = time(json, "h2d_copy_time_ns");
  step.sync_ns = time(json, "sync_wait_time_ns");
  step.forward_ns = time(json, "forward_time_ns");
  step.backward_ns = time(json, "backward_time_ns");
  step.optimizer_ns = time(json, "optimizer_time_ns");
  if (const std::string shape = text(json, "shape_signature"); !shape.empty()) step.shape = shape;
  step.batch_size = whole(json, "batch_size");
  step.sequence_length = whole(json, "sequence_length");
  step.windows = static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole(json, "profiler_windows_exported").value_or(0), 0, 1'000'000));
  step.kernels = above_zero(number(json, "kernel_count"));
  if (const auto median = above_zero(number(json, "median_cuda_kernel_duration_us"))) step.median_kernel_ns = *median * 1000;
  if (step.kernels) step.small_kernels = number(json, "small_kernel_fraction");
  step.loss = loss_in(json);
  return step;
}

bool says(const Json& step, const char* key, bool zero_is_said) {
  const auto found = step.find(key);
  return found != step.end() && !found->is_null() && (zero_is_said || time(step, key) > 0);
}

model::StepTable read_steps(const Json& steps, bool zero_is_said) {
  StepRows read;
  for (const Json& json : steps) {
    const std::optional<std::int64_t> id = whole(json, "step_id");
    if (!id) continue;
    read.rows.push_back(step_of(json, *id));
    read.has_loader = read.has_loader || says(json, "dataloader_wait_time_ns", zero_is_said);
    read.has_copies = read.has_copies || says(json, "h2d_copy_time_ns", zero_is_said);
    read.has_waits = read.has_waits || says(json, "sync_wait_time_ns", zero_is_said);
  }
  return table_of(std::move(read));
}

// Two samples that have the mean and the span of the summary.
void read_gpu(const Json& summary, bool zero_is_said, RunRecord& record) {
  const auto said = [&](const char* key) { return zero_is_said ? number(summary, key) : above_zero(number(summary, key)); };
  const std::optional<double> utilization = said("average_gpu_utilization_pct"), memory = said("memory_pressure_peak_ratio");
  if (!utilization && !memory) return;
  const double span = number(summary, "utilization_instability_pct").value_or(0);
  for (const double side : {-0.5, 0.5}) {
    model::GpuSample sample;
    if (utilization) sample.utilization_pct = *utilization + side * span;
    sample.memory_utilization_pct = said("average_memory_utilization_pct");
    if (memory) sample.memory_used = *memory;
    if (memory) sample.memory_total = 1;
    record.samples.push_back(sample);
  }
}

std::vector<SummaryInput> inputs_of(const Json& json) {
  std::vector<SummaryInput> inputs;
  const auto list = json.find("inputs");
  if (list == json.end() || !list->is_array()) return inputs;
  for (const Json& one : *list) {
    const std::optional<std::int64_t> bytes = whole(one, "bytes");
    if (bytes && *bytes >= 0) inputs.push_back({text(one, "path"), static_cast<std::uint64_t>(*bytes), text(one, "sha256")});
  }
  return inputs;
}

}  // namespace

Result<RunSummary> read_run_summary(std::string_view content) {
  const Json json = Json::parse(content, nullptr, false);
  if (!json.is_object()) return fail(ErrorKind::malformed, "expected an object of JSON");
  const std::string schema = text(json, "schema");
  if (json.contains("schema") && schema != our_schema)
    return fail(ErrorKind::malformed, "expected a summary of docs/contract.md or {}, found the schema '{}'", our_schema, printable(schema));
  const bool is_ours = schema == our_schema;
  const auto run = json.find("run");
  const Json& scope = run != json.end() && run->is_object() ? *run : json;
  const auto steps = scope.find("per_step");
  if (steps == scope.end() || !steps->is_array()) return fail(ErrorKind::malformed, "expected steps (per_step), found none");
  RunSummary summary;
  summary.run_id = text(json, "run_id");
  summary.event_count = whole(json, "event_count");
  summary.inputs = inputs_of(json);
  summary.record.steps = read_steps(*steps, is_ours);
  if (const auto gpu = scope.find("run_summary"); gpu != scope.end()) read_gpu(*gpu, is_ours, summary.record);
  return summary;
}

}  // namespace frx::ingest
