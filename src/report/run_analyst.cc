#include "report/run_analyst.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "ingest/run_events/read_events.h"
#include "ingest/run_events/read_summary.h"
#include "model/bundle_paths.h"
#include "report/ranks_analyst.h"
#include "report/run_streams.h"

namespace frx::report {
namespace {

namespace paths = model::bundle;
using model::RunStep;

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
  report.machine = {field("host"), field("gpu_name"), field("driver_version"), field("pytorch_version"), field("python_version")};
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
    if (i < process.shapes.steps.size()) step.shape_changed = process.shapes.steps[i].changed.value_or(false);
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
StreamOfRank stream_of(ingest::RunSummary summary, std::vector<model::GpuSample> samples) {
  StreamOfRank stream;
  stream.record = std::move(summary.record);
  if (!samples.empty()) stream.record.samples = std::move(samples);
  ingest::finish(stream.record);
  return stream;
}

std::string profiler_trace_of(const ingest::RunBundle& bundle) {
  if (bundle.has(paths::profiler_trace)) return std::string(paths::profiler_trace);
  for (const ingest::BundleMember& member : bundle.members()) {
    if (paths::is_profiler_trace(member.path)) return member.path;
  }
  return {};
}

Result<> read_trace(const TraceAnalyst& traces, const ingest::RunBundle& bundle, const std::string& path, RunReport& report) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(std::string_view(path)));
  Result<std::unique_ptr<TraceReport>> trace = traces.analyse(path, *source);
  if (trace) {
    report.trace = std::move(*trace);
  } else {
    report.notes.push_back(fmt::format("{} is left out: {}", printable(path), trace.error().message));
  }
  return {};
}

// Those of several ranks are one answer; several that are not of ranks are not, and then the first one counts.
Result<> read_traces(const TraceAnalyst& traces, const ingest::RunBundle& bundle, RunReport& report) {
  std::vector<TraceFile> files;
  for (const ingest::BundleMember& member : bundle.members()) {
    if (!paths::is_profiler_trace(member.path)) continue;
    files.push_back({member.path, [&bundle, path = member.path] { return bundle.open(std::string_view(path)); }});
  }
  if (files.empty()) return {};
  Result<std::unique_ptr<RanksReport>> ranks = analyse_ranks(traces, bundle.path(), files);
  if (!ranks) {
    if (files.size() > 1) report.notes.push_back(fmt::format("of {} traces only one counts: {}", files.size(), ranks.error().message));
    return read_trace(traces, bundle, profiler_trace_of(bundle), report);
  }
  report.trace = (*ranks)->ranks[(*ranks)->answering].trace;
  if ((*ranks)->ranks.size() < 2) return {};
  report.ranks = std::move(*ranks);
  report.notes.insert(report.notes.end(), report.ranks->notes.begin(), report.ranks->notes.end());
  return {};
}

void answer_with_trace(RunReport& report) {
  report.evidence = "profiler trace";
  report.run = report.trace->run;
  report.steady_state = report.trace->steady_state;
  add_steps(*report.trace, report.record);
  if (!report.ranks) return;
  (report.steady_state ? *report.steady_state : report.run) = report.ranks->scope;
}

void answer_with_streams(RunReport& report, std::vector<StreamOfRank> streams, std::size_t answering) {
  StreamOfRank& stream = streams[answering];
  report.run = stream.run;
  report.steady_state = stream.steady_state;
  report.record = stream.record;
  const auto completed = static_cast<std::size_t>(std::ranges::count_if(report.record.steps, &RunStep::completed));
  if (completed < report.record.steps.size())
    report.notes.push_back(fmt::format("{} did not end well and are left out", count_text(report.record.steps.size() - completed, "step")));
  if (report.record.samples.empty()) report.notes.push_back("no samples of the GPU: how busy it was is unknown");
  report.answering = answering;
  if (streams.size() > 1) report.streams = std::move(streams);
}

}  // namespace

std::string summary_note(const RunReport& report) {
  if (!report.summary || report.summary->state == SummaryState::fits) return {};
  const bool is_all = report.evidence == "derived summary";
  return fmt::format("derived/summary.json {}: {}; {}", is_all ? "is all there is" : "is not used", report.summary->reason,
                     is_all ? "nothing in the bundle can confirm it" : "the answer is made of the " + report.evidence);
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
  TRY_ASSIGN(std::vector<StreamOfRank> streams, read_streams(bundle, report->notes));
  std::size_t answering = judge_streams(traces_->judge(), streams);
  for (const model::Note& note : streams[answering].record.notes) report->notes.push_back(note.text);
  TRY(read_traces(*traces_, bundle, *report));
  const std::uint64_t events = streams[answering].record.events;
  std::optional<Result<ingest::RunSummary>> summary;
  if (bundle.has(paths::derived_summary)) {
    const Result<std::string> text = bundle.read(paths::derived_summary);
    summary = text ? ingest::read_run_summary(*text) : Result<ingest::RunSummary>(Failure{text.error()});
    report->summary = check_summary(*summary, bundle, report->run_id, events);
  }
  if (streams[answering].record.steps.empty() && report->trace) {
    report->record = std::move(streams[answering].record);
    answer_with_trace(*report);
    return report;
  }
  if (events > 0) {
    report->evidence = "event stream";
  } else if (summary && *summary) {
    report->evidence = "derived summary";
    streams = {stream_of(std::move(**summary), std::move(streams[answering].record.samples))};
    answering = judge_streams(traces_->judge(), streams);
  } else {
    return fail(ErrorKind::not_enough, "the bundle has no event stream and no trace of a profiler that can be read{}",
                report->summary ? fmt::format("; derived/summary.json cannot be used: {}", report->summary->reason) : "")
        .at(bundle.path())
        .hint("instrument the program (frx init shows how), or record with torch.profiler");
  }
  answer_with_streams(*report, std::move(streams), answering);
  return report;
}

}  // namespace frx::report
