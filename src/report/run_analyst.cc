#include "report/run_analyst.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "derive/run/record_facts.h"
#include "ingest/run_events/read_events.h"
#include "ingest/run_events/read_summary.h"
#include "model/bundle_paths.h"

namespace frx::report {
namespace {

namespace paths = model::bundle;
using model::RunStep;

Result<> read_streams(const ingest::RunBundle& bundle, RunReport& report) {
  // One stream per process: trace.jsonl, and trace.rank1.jsonl beside it.
  for (const ingest::BundleMember& member : bundle.members()) {
    if (!member.path.starts_with("raw/trace") || !member.path.ends_with(".jsonl")) continue;
    if (member.path != paths::raw_trace) {
      report.notes.push_back(fmt::format("{} of another process is not part of this answer", printable(member.path)));
      continue;
    }
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(std::string_view(member.path)));
    TRY(ingest::read_run_events(*source, report.record));
  }
  if (bundle.has(paths::gpu_metrics)) {
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(paths::gpu_metrics));
    TRY(ingest::read_gpu_samples(*source, report.record));
  }
  ingest::finish(report.record);
  for (const model::Note& note : report.record.notes) report.notes.push_back(note.text);
  return {};
}

void read_metadata(const ingest::RunBundle& bundle, RunReport& report) {
  if (!bundle.has(paths::metadata)) return;
  const Result<std::string> text = bundle.read(paths::metadata);
  const nlohmann::json json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (!json.is_object()) {
    report.notes.push_back("metadata.json cannot be read");
    return;
  }
  const auto field = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  report.run_id = field("run_id");
  report.job = field("job_name");
  report.status = field("status");
}

std::vector<RunStep> completed_steps(const model::RunRecord& record) {
  std::vector<RunStep> steps;
  std::ranges::copy_if(record.steps, std::back_inserter(steps), &RunStep::completed);
  return steps;
}

std::vector<diagnose::StepValue> worst_steps(std::span<const RunStep> steps, std::string_view label) {
  std::vector<diagnose::StepValue> values;
  for (const RunStep& step : steps) {
    const double total = static_cast<double>(step.total_ns());
    double part = 0;
    if (label == "input_bound") part = static_cast<double>(step.loader_ns + step.loader_before_ns) / total;
    if (label == "copy_bound") part = static_cast<double>(step.host_to_device_ns) / total;
    if (label == "sync_bound") part = static_cast<double>(step.sync_ns) / total;
    if (label == "shape_instability") part = step.shape_changed ? 1 : 0;
    if (label == "underutilized_gpu" || label == "launch_bound") {
      const double phases =
          static_cast<double>(step.forward_ns) + static_cast<double>(step.backward_ns) + static_cast<double>(step.optimizer_ns);
      if (phases > 0) part = 1 - std::min(1.0, phases / total);
    }
    if (part > 0) values.push_back({step.id, std::min(1.0, part)});
  }
  std::ranges::stable_sort(values, std::ranges::greater{}, &diagnose::StepValue::value);
  if (label != "shape_instability") values.resize(std::min<std::size_t>(3, values.size()));
  return values;
}

RunScope scope_from(const RunJudge& judge, const RunReport& report, std::string_view name, std::span<const RunStep> steps,
                    std::size_t skipped) {
  RunScope scope{std::string(name), {}, skipped, {}, {}, {}, {}, {}};
  const std::span<const RunStep> used = steps.subspan(skipped);
  for (const RunStep& step : used) scope.step_numbers.push_back(step.id);
  scope.facts = derive::facts_of(report.record, used);
  scope.dominant_stall = derive::dominant_stall(report.record, used);
  judge.judge(scope, {used.size(), true, false});
  for (diagnose::RunFinding& finding : scope.diagnosis.findings) finding.worst_steps = worst_steps(used, finding.label->id);
  return scope;
}

// The steps of a trace as those of a run: of its first process and GPU.
void add_steps(const TraceReport& trace, model::RunRecord& record) {
  const derive::trace::ProcessTimes& process = trace.processes.front();
  record.has_loader = process.has_loader;
  record.has_copies = !process.gpus.empty();
  record.has_waits = trace.calls > 0;
  for (std::size_t i = 0; i < process.host.size(); ++i) {
    const derive::trace::HostTime& host = process.host[i];
    RunStep step;
    step.id = process.steps.steps[i].number;
    step.status = "ok";
    step.wall_ns = host.wall;
    step.loader_ns = host.input;
    step.sync_ns = host.sync;
    step.forward_ns = host.forward;
    step.backward_ns = host.backward;
    step.optimizer_ns = host.optimizer;
    step.kernels = host.kernels;
    if (host.median_kernel_ns) {
      step.median_kernel_us = *host.median_kernel_ns / 1000;
      step.small_kernel_fraction = host.small_kernels;
    }
    if (!process.gpus.empty()) {
      const derive::trace::GpuTime& gpu = process.gpus.front().steps[i];
      step.host_to_device_ns = gpu.all_host_to_device;
      if (host.wall > 0) step.gpu_active = std::min(1.0, static_cast<double>(gpu.busy()) / static_cast<double>(host.wall));
    }
    record.steps.push_back(std::move(step));
  }
}

// Of the summary alone. Samples that were recorded are better than what it says of them.
void use_summary(ingest::RunSummary summary, RunReport& report) {
  report.evidence = "derived summary";
  std::vector<model::GpuSample> samples = std::move(report.record.samples);
  report.record = std::move(summary.record);
  if (!samples.empty()) report.record.samples = std::move(samples);
  ingest::finish(report.record);
}

std::string profiler_trace_of(const ingest::RunBundle& bundle) {
  if (bundle.has(paths::profiler_trace)) return std::string(paths::profiler_trace);
  for (const ingest::BundleMember& member : bundle.members()) {
    if (paths::is_profiler_trace(member.path)) return member.path;
  }
  return {};
}

}  // namespace

std::string summary_note(const RunReport& report) {
  if (!report.summary || report.summary->state == SummaryState::fits) return {};
  const bool is_all = report.evidence == "derived summary";
  return fmt::format("derived/summary.json {}: {}; {}", is_all ? "is all there is" : "is not used", report.summary->reason,
                     is_all ? "nothing in the bundle can confirm it" : "the answer is made of the " + report.evidence);
}

std::optional<StepTimes> step_times(const model::RunRecord& record, const RunScope& scope) {
  StepTimes times;
  for (std::size_t seen = 0; const RunStep& step : record.steps) {
    if (!step.completed() || seen++ < scope.skipped) continue;
    ++times.steps;
    times.wall_ns += static_cast<double>(step.wall_ns);
    times.total_ns += static_cast<double>(step.total_ns());
    times.longest_ns = std::max(times.longest_ns, step.wall_ns);
  }
  if (times.steps == 0) return std::nullopt;
  times.wall_ns /= times.steps;
  times.total_ns /= times.steps;
  return times;
}

Result<std::unique_ptr<RunAnalyst>> RunAnalyst::create(const std::string& data_directory, const ThresholdOptions& thresholds) {
  std::unique_ptr<RunAnalyst> analyst(new RunAnalyst);
  TRY_ASSIGN(analyst->traces_, TraceAnalyst::create(data_directory, thresholds));
  return analyst;
}

Result<std::unique_ptr<RunReport>> RunAnalyst::analyse(const ingest::RunBundle& bundle) const {
  auto report = std::make_unique<RunReport>();
  report->source = bundle.path();
  report->name = bundle.name();
  read_metadata(bundle, *report);
  TRY(read_streams(bundle, *report));
  if (const std::string path = profiler_trace_of(bundle); !path.empty()) {
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(std::string_view(path)));
    Result<std::unique_ptr<TraceReport>> trace = traces_->analyse(path, *source);
    if (trace) {
      report->trace = std::move(*trace);
    } else {
      report->notes.push_back(fmt::format("{} is left out: {}", printable(path), trace.error().message));
    }
  }
  std::optional<Result<ingest::RunSummary>> summary;
  if (bundle.has(paths::derived_summary)) {
    const Result<std::string> text = bundle.read(paths::derived_summary);
    summary = text ? ingest::read_run_summary(*text) : Result<ingest::RunSummary>(Failure{text.error()});
    report->summary = check_summary(*summary, bundle, report->run_id, report->record.events);
  }
  if (report->record.steps.empty() && report->trace) {
    report->evidence = "profiler trace";
    report->run = report->trace->run;
    report->steady_state = report->trace->steady_state;
    add_steps(*report->trace, report->record);
    return report;
  }
  if (report->record.events > 0) {
    report->evidence = "event stream";
  } else if (summary && *summary) {
    use_summary(std::move(**summary), *report);
  } else {
    return fail(ErrorKind::not_enough, "the bundle has no event stream and no trace of a profiler that can be read{}",
                report->summary ? fmt::format("; derived/summary.json cannot be used: {}", report->summary->reason) : "")
        .at(bundle.path())
        .hint("instrument the program (frx init shows how), or record with torch.profiler");
  }
  judge_steps(*report);
  return report;
}

void RunAnalyst::judge_steps(RunReport& report) const {
  const std::vector<RunStep> steps = completed_steps(report.record);
  report.run = scope_from(traces_->judge(), report, "run", steps, 0);
  if (const std::size_t skipped = warm_up_steps_of(steps.size()); skipped > 0)
    report.steady_state = scope_from(traces_->judge(), report, "steady_state", steps, skipped);
  if (steps.size() < report.record.steps.size()) {
    report.notes.push_back(
        fmt::format("{} did not end well and are left out", count_text(report.record.steps.size() - steps.size(), "step")));
  }
  if (report.record.samples.empty()) report.notes.push_back("no samples of the GPU: how busy it was is unknown");
}

bool is_run_bundle(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path.size() > 4 && equals_ignoring_case(std::string_view(path).substr(path.size() - 4), ".zip"))
    return fs::is_regular_file(path, ignored);
  if (!fs::is_directory(path, ignored)) return false;
  // Not by listing it: it may be a large folder of code.
  for (const std::string_view member :
       {paths::metadata, paths::manifest, paths::raw_trace, paths::derived_summary, std::string_view("profiler")}) {
    if (fs::exists(fs::path(path) / member, ignored)) return true;
  }
  return false;
}

}  // namespace frx::report
