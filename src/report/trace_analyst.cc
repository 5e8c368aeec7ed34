#include "report/trace_analyst.h"

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "derive/steps/facts.h"
#include "derive/steps/stalls.h"
#include "derive/trace/breakdown.h"
#include "derive/trace/damage.h"
#include "derive/trace/memory_peaks.h"
#include "derive/trace/picture.h"
#include "derive/trace/program_traits.h"
#include "derive/trace/run_ahead.h"
#include "ingest/chrome_trace/read_trace.h"
#include "ingest/unpacked_source.h"
#include "report/layout/layout_analyst.h"
#include "report/rank_recording.h"
#include "report/run_scopes.h"
#include "report/trace_cpu.h"
#include "report/trace_notes.h"

namespace frx::report {
namespace {

using model::StepTable;
using model::Timeline;

// One process that uses several GPUs (DataParallel) waits for no rank.
bool is_alone(const TraceReport& report) {
  return report.processes.size() == 1 && report.processes.front().gpus.size() > 1 && report.facts.world_size.value_or(1) == 1 &&
         !report.is_part_of_file;
}

RecordedSteps recorded(const TraceReport& report, std::span<const model::GpuSample> memory, bool ranks_compared) {
  return {report.processes, memory, report.clock_broken, ranks_compared, report.program};
}

// For a file that a tool merged from the traces of several ranks: which process is which rank, when all of them have steps.
std::map<std::int64_t, std::vector<StepTable>> by_rank(const Timeline& timeline, std::vector<StepTable>& processes) {
  std::map<std::string, std::int64_t> ranks;
  for (const model::Track& track : timeline.tracks) {
    if (track.rank >= 0) ranks.emplace(track.pid, track.rank);
  }
  std::map<std::int64_t, std::vector<StepTable>> all;
  for (const StepTable& process : processes) {
    const auto known = ranks.find(process.pid);
    if (known == ranks.end()) return {};
    all[known->second];
  }
  if (all.size() < 2) return {};
  for (StepTable& process : processes) all[ranks.at(process.pid)].push_back(std::move(process));
  return all;
}

const derive::trace::Steps& steps_of(const std::vector<derive::trace::Steps>& all, const std::string& pid) {
  return *std::ranges::find(all, pid, &derive::trace::Steps::pid);
}

// The GPUs with work, as the header of the trace names them.
std::vector<const model::TracedGpu*> used_gpus(const TraceReport& report) {
  std::vector<const model::TracedGpu*> used;
  for (const StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      const auto known = std::ranges::find(report.facts.gpus, gpu.device, &model::TracedGpu::id);
      used.push_back(known == report.facts.gpus.end() ? nullptr : &*known);
    }
  }
  return used;
}

// Each GPU is diagnosed alone.
std::vector<GpuVerdict> verdicts(const RunJudge& judge, const TraceReport& report) {
  std::vector<GpuVerdict> all;
  const diagnose::RunSample sample{report.scope().step_numbers.size(), report.has_step_boundaries(), report.clock_broken};
  for (const StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      GpuVerdict verdict{process.pid, gpu.device, derive::steps::facts_of(process, &gpu, report.scope().skipped), {}};
      const std::string stall = derive::steps::dominant_stall(verdict.facts);
      verdict.primary = diagnose::diagnose_run(judge.labels(), verdict.facts, stall, sample).user_facing;
      all.push_back(std::move(verdict));
    }
  }
  return all;
}

}  // namespace

Result<Timeline> read_trace(const std::string& name, ByteSource& source, const std::function<void(std::uint64_t)>& progress,
                            Layouts layouts) {
  ingest::UnpackedSource unpacked(source);
  TRY_ASSIGN(const std::string_view head, unpacked.head());
  if (!head.empty() && !ingest::trace::may_be_trace(head)) return fail(ErrorKind::malformed, "expected a trace in JSON").at(name);
  return ingest::trace::read_trace(name, unpacked, {.progress = progress, .all_arguments = layouts == Layouts::included});
}

Result<std::unique_ptr<TraceAnalyst>> TraceAnalyst::create(const std::string& data_directory, const ThresholdOptions& thresholds,
                                                           bool with_figures) {
  std::unique_ptr<TraceAnalyst> analyst(new TraceAnalyst);
  TRY_ASSIGN(analyst->judge_, RunJudge::create(data_directory, thresholds));
  TRY_ASSIGN(analyst->layout_detectors_, knowledge::LayoutKnowledge::load(analyst->judge_->knowledge().library));
  analyst->gpu_model_ = thresholds.gpu_model;
  analyst->gpu_is_fallback_ = thresholds.gpu_is_fallback;
  analyst->with_figures_ = with_figures;
  return analyst;
}

// Computed once for a file, however many ranks are in it.
struct TraceAnalyst::Studied {
  Timeline timeline;
  derive::trace::Attribution attribution;
  derive::trace::Damage damage;
  std::vector<derive::trace::Steps> steps;  // of each process
  std::vector<StepTable> processes;
  derive::trace::BackwardWork backward;
  std::shared_ptr<const model::TimelinePicture> picture;
};

TraceAnalyst::Studied TraceAnalyst::study(Timeline timeline) const {
  Studied studied;
  studied.timeline = std::move(timeline);
  do_in_parallel({[&] { studied.attribution = derive::trace::attribute(studied.timeline); },
                  [&] { studied.steps = derive::trace::find_steps(studied.timeline); }});
  studied.damage = derive::trace::damage_of(studied.timeline, studied.attribution);
  studied.timeline.clock_broken = studied.timeline.clock_broken || studied.damage.apart_ns > 0;
  const auto follow_gpus = [&] {
    for (derive::trace::Steps& steps : studied.steps) derive::trace::follow_gpu(studied.timeline, studied.attribution, steps);
  };
  do_in_parallel({follow_gpus, [&] { studied.backward = derive::trace::join_backward(studied.timeline, studied.attribution); }});
  studied.processes = derive::trace::break_down(studied.timeline, studied.attribution, studied.steps, with_figures_);
  if (with_figures_)
    studied.picture = std::make_shared<const model::TimelinePicture>(derive::trace::picture_of(studied.timeline, studied.steps));
  return studied;
}

// For one rank, or (-1) for everything in the file.
RankRecording TraceAnalyst::report_on(const Studied& studied, std::vector<StepTable> processes, std::int64_t rank) const {
  const Timeline& timeline = studied.timeline;
  RankRecording recording{std::make_unique<TraceReport>(), {}, {}, timeline.cut_short};
  const std::unique_ptr<TraceReport>& report = recording.report;
  report->source = timeline.source;
  report->facts = timeline.facts;
  report->clock_broken = timeline.clock_broken;
  if (rank < 0) report->gpu_metrics = timeline.gpu_metrics;
  report->picture = studied.picture;
  report->is_part_of_file = rank >= 0;
  if (rank >= 0) report->facts.rank = rank;
  static_cast<TraceCounts&>(*report) = derive::trace::counts_of(timeline, studied.attribution, studied.backward, rank);
  report->processes = std::move(processes);
  const auto look_at_program = [&] {
    report->program =
        derive::trace::program_traits(timeline, studied.attribution, steps_of(studied.steps, report->processes.front().pid), rank);
    if (report->kernels == 0 && report->copies == 0) return;
    report->use = gpu_use(timeline, studied.attribution, judge_->knowledge(), used_gpus(*report), report->program.is_amd, rank);
    report->program.has_tensor_cores = report->use->has_tensor_cores;
    report->program.fp32_matrix_share = report->use->fp32_matrix_share();
    report->program.layout_copy_share = report->use->layout_copy_share();
  };
  do_in_parallel({look_at_program, [&] {
                    static_cast<WorkTimes&>(*report) = derive::trace::work_times(timeline, studied.attribution, studied.backward, rank);
                  }});
  if (report->kernels == 0 && report->operators > 0 && derive::trace::is_recording_of_cpu(timeline)) {
    report->cpu = derive::trace::self_times(timeline, rank);
    report->program.cpu_only = report->cpu->gpu_evidence.empty();
  }
  // For all ranks in the file together.
  if (rank < 0) recording.memory = derive::trace::memory_peaks(timeline);
  judge(recording);
  report->notes = notes_of(timeline, studied.damage, *report);
  return recording;
}

void TraceAnalyst::judge(RankRecording& recording) const {
  TraceReport& report = *recording.report;
  static_cast<RunScopes&>(report) = scopes_of(*judge_, recorded(report, recording.memory, is_alone(report)));
  if (report.cpu) explain_cpu(report);
  report.gpus = verdicts(*judge_, report);
}

// Null where the trace tells nothing about layouts: they are beside what was asked, and are no reason to refuse it.
std::shared_ptr<const LayoutReport> TraceAnalyst::layouts_of(Timeline timeline) const {
  LayoutRequest request;
  request.gpu_model = gpu_model_;
  request.gpu_is_fallback = gpu_is_fallback_;
  Result<std::shared_ptr<LayoutReport>> layouts = analyse_layout(std::move(timeline), request, judge_->knowledge(), layout_detectors_);
  return layouts ? std::move(*layouts) : nullptr;
}

std::unique_ptr<TraceReport> TraceAnalyst::analyse(Timeline timeline, Layouts layouts) const {
  Studied studied = study(std::move(timeline));
  std::vector<StepTable> processes = std::move(studied.processes);
  std::unique_ptr<TraceReport> report = report_on(studied, std::move(processes), -1).report;
  if (layouts == Layouts::included) report->layouts = layouts_of(std::move(studied.timeline));
  return report;
}

Result<std::unique_ptr<TraceReport>> TraceAnalyst::analyse(std::string name, ByteSource& source,
                                                           const std::function<void(std::uint64_t)>& progress, Layouts layouts) const {
  TRY_ASSIGN(Timeline timeline, read_trace(name, source, progress, layouts));
  return analyse(std::move(timeline), layouts);
}

std::vector<RankRecording> TraceAnalyst::analyse_ranks(Timeline trace, Interner& words, Layouts layouts) const {
  Studied studied = study(std::move(trace));
  const Timeline& timeline = studied.timeline;
  std::map<std::int64_t, std::vector<StepTable>> ranks = by_rank(timeline, studied.processes);
  if (ranks.empty()) ranks.emplace(-1, std::move(studied.processes));
  std::vector<RankRecording> recordings;
  for (auto& [rank, own] : ranks) {
    derive::ranks::Sequence collectives;
    // Without its clock even the order of kernels in a trace is unknown.
    if (!timeline.clock_broken)
      collectives = derive::ranks::sequence_of(timeline, studied.attribution, steps_of(studied.steps, own.front().pid), rank, words);
    recordings.push_back(report_on(studied, std::move(own), rank));
    recordings.back().collectives = std::move(collectives);
  }
  if (layouts == Layouts::included && recordings.size() == 1) recordings.front().report->layouts = layouts_of(std::move(studied.timeline));
  return recordings;
}

Result<RankRecording> TraceAnalyst::analyse_rank(const model::RankSummary& summary, Interner& words) const {
  TRY_ASSIGN(RankRecording recording, recording_of(summary, words));
  TraceReport& report = *recording.report;
  if (report.use) rate_products(*report.use, judge_->knowledge(), used_gpus(report), report.program.is_amd);
  judge(recording);
  return recording;
}

RunScope TraceAnalyst::judged_with(const TraceReport& report, const model::RunFacts& facts, bool ranks_compared) const {
  return report::judged_with(*judge_, recorded(report, {}, ranks_compared), report.scope(), facts);
}

}  // namespace frx::report
