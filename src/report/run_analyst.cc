#include "report/run_analyst.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "derive/steps/selection.h"
#include "ingest/run_events/read_events.h"
#include "ingest/run_events/read_summary.h"
#include "model/bundle_paths.h"
#include "report/run_streams.h"
#include "report/run_traces.h"

namespace frx::report {
namespace {

namespace paths = model::bundle;

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

// Facts of the summary alone. Recorded samples are better than its averages.
StreamOfRank stream_of(ingest::RunSummary summary, std::vector<model::GpuSample> samples) {
  StreamOfRank stream;
  stream.record = std::move(summary.record);
  if (!samples.empty()) stream.record.samples = std::move(samples);
  return stream;
}

void answer_with_trace(RunReport& report) {
  report.evidence = "profiler trace";
  static_cast<RunScopes&>(report) = *report.trace;
  if (!report.ranks) return;
  (report.steady_state ? *report.steady_state : report.run) = report.ranks->scope;
}

void answer_with_streams(RunReport& report, std::vector<StreamOfRank> streams, std::size_t answering) {
  StreamOfRank& stream = streams[answering];
  static_cast<RunScopes&>(report) = stream;
  report.record = stream.record;
  const std::size_t completed = derive::steps::completed_rows(report.record.steps).size();
  if (completed < report.record.steps.size())
    report.notes.push_back(fmt::format("{} did not end well and are left out", count_text(report.record.steps.size() - completed, "step")));
  if (report.record.samples.empty()) report.notes.push_back("no samples of the GPU: how busy it was is unknown");
  report.answering = answering;
  if (streams.size() > 1) report.streams = std::move(streams);
}

}  // namespace

const model::StepTable& RunReport::steps() const { return evidence == "profiler trace" && trace ? trace->processes.front() : record.steps; }

std::string summary_note(const RunReport& report) {
  if (!report.summary || report.summary->state == SummaryState::fits) return {};
  const bool is_all = report.evidence == "derived summary";
  return fmt::format("derived/summary.json {}: {}; {}", is_all ? "is all there is" : "is not used", report.summary->reason,
                     is_all ? "nothing in the bundle can confirm it" : "the answer is made of the " + report.evidence);
}

Result<std::unique_ptr<RunAnalyst>> RunAnalyst::create(const std::string& data_directory, const ThresholdOptions& thresholds,
                                                       bool with_figures) {
  std::unique_ptr<RunAnalyst> analyst(new RunAnalyst);
  TRY_ASSIGN(analyst->traces_, TraceAnalyst::create(data_directory, thresholds, with_figures));
  return analyst;
}

Result<std::unique_ptr<RunReport>> RunAnalyst::analyse(const ingest::RunBundle& bundle, Layouts layouts) const {
  auto report = std::make_unique<RunReport>();
  report->source = bundle.path();
  report->name = bundle.name();
  read_metadata(bundle, *report);
  TRY_ASSIGN(std::vector<StreamOfRank> streams, read_streams(bundle, report->notes));
  std::size_t answering = judge_streams(traces_->judge(), streams);
  for (const model::Note& note : streams[answering].record.notes) report->notes.push_back(note.text);
  TRY(read_traces(*traces_, bundle, layouts, *report));
  const std::uint64_t events = streams[answering].record.events;
  std::optional<Result<ingest::RunSummary>> summary;
  if (bundle.has(paths::derived_summary)) {
    const Result<std::string> text = bundle.read(paths::derived_summary);
    summary = text ? ingest::read_run_summary(*text) : Result<ingest::RunSummary>(Failure{text.error()});
    report->summary = check_summary(*summary, bundle, report->run_id, events);
  }
  if (streams[answering].record.steps.size() == 0 && report->trace) {
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
