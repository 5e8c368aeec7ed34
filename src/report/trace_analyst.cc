#include "report/trace_analyst.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "derive/steps/facts.h"
#include "derive/steps/shapes.h"
#include "derive/steps/stalls.h"
#include "derive/trace/backward.h"
#include "derive/trace/breakdown.h"
#include "derive/trace/memory_peaks.h"
#include "ingest/chrome_trace/read_trace.h"
#include "ingest/unpacked_source.h"
#include "report/run_scopes.h"

namespace frx::report {
namespace {

using derive::trace::Attribution;
using derive::trace::BackwardWork;
using derive::trace::GpuWork;
using model::EventKind;
using model::RunFact;
using model::StepTable;
using model::Timeline;

// A model has tens to hundreds of kernels; a trace with more names has made them up.
constexpr std::size_t top_operators = 10, top_kernels = 1000, most_operator_times = 2000;

// The events of one rank, or all of them (-1).
bool is_of(const Timeline& timeline, std::size_t row, std::int64_t rank) {
  return rank < 0 || timeline.tracks[timeline.track[row]].rank == rank;
}

void count_events(const Timeline& timeline, const Attribution& attribution, const BackwardWork& backward, std::int64_t rank,
                  TraceReport& report) {
  for (std::size_t row = 0; row < timeline.size(); ++row) {
    if (!is_of(timeline, row, rank)) continue;
    const EventKind kind = timeline.kind[row];
    ++report.events;
    report.copies += kind == EventKind::memcpy;
    report.calls += kind == EventKind::runtime || kind == EventKind::driver;
    report.operators += kind == EventKind::cpu_op;
    report.foreign_events += kind == EventKind::foreign;
  }
  for (std::size_t i = 0; i < attribution.work.size(); ++i) {
    const GpuWork& one = attribution.work[i];
    if (timeline.kind[one.event] != EventKind::kernel || !is_of(timeline, one.event, rank)) continue;
    ++report.kernels;
    report.kernels_with_launch += one.launch != derive::trace::none;
    report.kernels_with_op += one.op != derive::trace::none;
    report.backward_kernels += backward.is_backward[i];
    report.backward_kernels_joined += backward.forward[i] != derive::trace::none;
  }
}

// All names by time.
template <typename Name>
std::vector<TimeOf> ranked(const Timeline& timeline, const Attribution& attribution, std::int64_t rank, Name name) {
  struct Sum {
    std::int64_t gpu_ns = 0, shortest_ns = INT64_MAX, longest_ns = 0;
    std::uint64_t count = 0;
  };
  std::vector<Sum> sums(timeline.names.size());
  for (const GpuWork& one : attribution.work) {
    const std::uint32_t id = name(one);
    if (id == Timeline::no_id || !is_of(timeline, one.event, rank)) continue;
    Sum& sum = sums[id];
    const std::int64_t ns = timeline.duration[one.event];
    sum.gpu_ns += ns;
    sum.shortest_ns = std::min(sum.shortest_ns, ns);
    sum.longest_ns = std::max(sum.longest_ns, ns);
    ++sum.count;
  }
  std::vector<TimeOf> all;
  for (std::uint32_t id = 0; id < sums.size(); ++id) {
    const Sum& sum = sums[id];
    if (sum.count > 0) all.push_back({std::string(timeline.names[id]), sum.gpu_ns, sum.shortest_ns, sum.longest_ns, sum.count});
  }
  std::ranges::sort(all, [](const TimeOf& a, const TimeOf& b) { return a.gpu_ns != b.gpu_ns ? a.gpu_ns > b.gpu_ns : a.name < b.name; });
  return all;
}

std::uint32_t shapes_of(const Timeline& timeline, std::uint32_t row) {
  const std::uint32_t* const at = std::ranges::lower_bound(timeline.shaped_events, row);
  if (at == timeline.shaped_events.end() || *at != row) return Timeline::no_id;
  return timeline.shapes_of[static_cast<std::size_t>(at - timeline.shaped_events.begin())];
}

// "[[8, 128], []]", however many blanks the writer has put in between.
std::string shapes_text(const Timeline& timeline, std::uint32_t shapes) {
  if (shapes == Timeline::no_id) return "";
  if (Timeline::is_hash_of_shapes(shapes)) return fmt::format("shapes #{:08x}", shapes);
  std::string text;
  for (const char c : timeline.shapes[shapes]) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') text += c;
    if (c == ',') text += ' ';
  }
  return text;
}

// GPU work by operator and shapes of its inputs. What is beyond the longest lists is one row, so that the sum is that of all.
void sum_operators(const Timeline& timeline, const Attribution& attribution, std::int64_t rank, TraceReport& report) {
  struct Sum {
    std::int64_t gpu_ns = 0;
    std::uint64_t count = 0;
  };
  const auto key_of = [](std::uint32_t name, std::uint32_t shapes) { return std::uint64_t{name} << 32 | shapes; };
  std::unordered_map<std::uint64_t, Sum> sums;
  for (const GpuWork& one : attribution.work) {
    if (!is_of(timeline, one.event, rank)) continue;
    const bool has_operator = one.op != derive::trace::none;
    Sum& sum = sums[has_operator ? key_of(timeline.name[one.op], shapes_of(timeline, one.op)) : key_of(Timeline::no_id, Timeline::no_id)];
    sum.gpu_ns += timeline.duration[one.event];
    ++sum.count;
  }
  std::vector<std::pair<std::uint64_t, Sum>> all(sums.begin(), sums.end());
  std::ranges::sort(
      all, [](const auto& a, const auto& b) { return std::pair(-a.second.gpu_ns, a.first) < std::pair(-b.second.gpu_ns, b.first); });
  OperatorTime rest{std::string(work_of_other_operators), "", 0, 0};
  for (const auto& [key, sum] : all) {
    if (report.operator_times.size() < most_operator_times) {
      const auto name = static_cast<std::uint32_t>(key >> 32), shapes = static_cast<std::uint32_t>(key);
      report.operator_times.push_back({std::string(name == Timeline::no_id ? work_without_operator : timeline.names[name]),
                                       shapes_text(timeline, shapes), sum.gpu_ns, sum.count});
    } else {
      rest.gpu_ns += sum.gpu_ns;
      rest.count += sum.count;
    }
  }
  report.operator_times_cut = rest.count > 0;
  if (report.operator_times_cut) report.operator_times.push_back(std::move(rest));
}

void rank_by_time(const Timeline& timeline, const Attribution& attribution, const BackwardWork& backward, std::int64_t rank,
                  TraceReport& report) {
  report.top_operators = ranked(timeline, attribution, rank, [&](const GpuWork& one) {
    return one.op == derive::trace::none ? Timeline::no_id : timeline.name[one.op];
  });
  report.top_kernels = ranked(timeline, attribution, rank, [&](const GpuWork& one) {
    return timeline.kind[one.event] == EventKind::kernel ? timeline.name[one.event] : Timeline::no_id;
  });
  report.top_backward = ranked(timeline, attribution, rank, [&](const GpuWork& one) {
    const std::uint32_t row = backward.forward[static_cast<std::size_t>(&one - attribution.work.data())];
    return row == derive::trace::none ? Timeline::no_id : timeline.name[row];
  });
  report.top_backward.resize(std::min(top_operators, report.top_backward.size()));
  report.kernel_names = report.top_kernels.size();
  report.top_operators.resize(std::min(top_operators, report.top_operators.size()));
  report.top_kernels.resize(std::min(top_kernels, report.top_kernels.size()));
  sum_operators(timeline, attribution, rank, report);
}

// "[[8, 128], [], []]" without the inputs that are no tensors at its end.
std::string tensors_of(std::string shapes) {
  constexpr std::string_view none = ", []]";
  while (shapes.ends_with(none)) shapes.replace(shapes.size() - none.size(), none.size(), "]");
  return printable(shapes);
}

// ": aten::linear [[8, 64]], then [[4, 64]]"; "" when the shapes were not kept.
std::string words_of(const model::ShapeChange& change) {
  if (change.before.empty() || change.after.empty()) return {};
  return fmt::format(": {} {}, then {}", printable(change.operation), tensors_of(change.before), tensors_of(change.after));
}

// What is behind the answer about shapes, or why there is none.
void add_shape_note(const Timeline& timeline, TraceReport& report) {
  if (report.step_count() < 2 || report.operators == 0 || report.clock_broken) return;
  if (timeline.shaped_events.empty()) {
    report.notes.push_back(
        "shapes of inputs were not recorded, so whether they change from step to step is unknown (record_shapes=True does)");
    return;
  }
  const model::StepTable& steps = report.processes.front();
  const auto volatility = derive::steps::volatility_of(steps, derive::steps::completed_rows(steps, report.scope().skipped));
  if (!volatility) {
    const bool differ = steps.last_shape_change && steps.last_shape_change->to_step > report.scope().step_numbers.front();
    report.notes.push_back(
        differ ? fmt::format("input shapes differ between steps {} and {}{}. More steps would tell whether they mostly do",
                             steps.last_shape_change->from_step, steps.last_shape_change->to_step, words_of(*steps.last_shape_change))
               : "shapes of inputs were recorded, but too few calls of operators are the same in two steps to tell whether "
                 "inputs change");
    return;
  }
  if (volatility->changes == 0) return;
  const model::ShapeChange& last = *steps.last_shape_change;
  report.notes.push_back(
      fmt::format("input shapes changed {} in {} pairs of steps, last from step {} to {}{}{}", count_text(volatility->changes, "time"),
                  volatility->pairs, last.from_step, last.to_step, words_of(last),
                  volatility->is_single ? ". One odd batch, as at the end of an epoch, does not count as unstable" : ""));
}

void add_notes(const Timeline& timeline, TraceReport& report) {
  for (const model::Note& note : timeline.notes) report.notes.push_back(note.text);
  if (report.kernels == 0 && report.foreign_events > 0) {
    report.notes.push_back(fmt::format("{} of another accelerator; nothing is said about it", count_text(report.foreign_events, "event")));
  } else if (report.kernels == 0 && report.calls > 0) {
    report.notes.push_back(
        fmt::format("{} of the GPU runtime, but no kernels: the profiler could not record the GPU (no CUPTI, WSL, "
                    "missing permission). Nothing is said about how busy it was",
                    count_text(report.calls, "call")));
  } else if (report.kernels == 0) {
    report.notes.push_back("the GPU was not recorded (activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] does)");
  } else if (report.operators == 0) {
    report.notes.push_back("no operators were recorded, so kernels cannot be attributed (activities=[ProfilerActivity.CPU, ...] does)");
  }
  if (report.kernels > 0 && report.kernels_with_launch < report.kernels) {
    report.notes.push_back(fmt::format("{} without a launch in the file (launched before the recording, or by a library)",
                                       count_text(report.kernels - report.kernels_with_launch, "kernel")));
  }
  if (!report.has_step_boundaries()) {
    report.notes.push_back(
        "no steps: call prof.step() after each one, or name them with record_function; the recording counts as one step");
  }
  add_shape_note(timeline, report);
  if (timeline.whole_microseconds && report.kernels > 0) {
    report.notes.push_back("times are whole microseconds (PyTorch before 2.3): a kernel of 3 us may have taken 4");
  }
}

// One process that uses several GPUs (DataParallel) waits for no rank.
bool is_alone(const TraceReport& report) {
  return report.processes.size() == 1 && report.processes.front().gpus.size() > 1 && report.facts.world_size.value_or(1) == 1 &&
         !report.is_part_of_file;
}

RecordedSteps recorded(const TraceReport& report, std::span<const model::GpuSample> memory, bool ranks_compared) {
  return {report.processes, memory, report.clock_broken, ranks_compared};
}

// Of a file that a tool merged from the traces of several ranks: which process is which rank, when all of them have steps.
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

}  // namespace

std::size_t TraceReport::step_count() const {
  std::size_t most = 0;
  for (const StepTable& process : processes) most = std::max(most, process.size());
  return has_step_boundaries() ? most : 0;
}

bool TraceReport::has_step_boundaries() const { return !processes.empty() && processes.front().has_boundaries(); }

std::optional<double> TraceReport::step_time_ns(std::size_t skipped) const {
  if (processes.empty()) return std::nullopt;
  const std::optional<StepTimes> times = derive::steps::step_times(processes.front(), skipped);
  return times ? std::optional(times->wall_ns) : std::nullopt;
}

std::string TraceReport::gpu_names() const {
  std::map<std::string, int> used;
  for (const GpuVerdict& gpu : gpus) {
    const auto known = std::ranges::find(facts.gpus, gpu.device, &model::TracedGpu::id);
    if (known != facts.gpus.end() && !known->name.empty()) ++used[known->name];
  }
  std::vector<std::string> words;
  for (const auto& [name, count] : used) words.push_back(count > 1 ? fmt::format("{} x {}", count, printable(name)) : printable(name));
  return join(words, ", ");
}

Result<std::unique_ptr<TraceAnalyst>> TraceAnalyst::create(const std::string& data_directory, const ThresholdOptions& thresholds) {
  std::unique_ptr<TraceAnalyst> analyst(new TraceAnalyst);
  TRY_ASSIGN(analyst->judge_, RunJudge::create(data_directory, thresholds));
  return analyst;
}

// What is worked out once for a file, however many ranks are in it.
struct TraceAnalyst::Studied {
  Timeline timeline;
  Attribution attribution;
  std::vector<derive::trace::Steps> steps;  // of each process
  std::vector<StepTable> processes;
  BackwardWork backward;
};

Result<TraceAnalyst::Studied> TraceAnalyst::study(const std::string& name, ByteSource& source,
                                                  const std::function<void(std::uint64_t)>& progress) {
  Studied studied;
  ingest::UnpackedSource unpacked(source);
  TRY_ASSIGN(const std::string_view head, unpacked.head());
  if (!head.empty() && !ingest::trace::may_be_trace(head)) return fail(ErrorKind::malformed, "expected a trace in JSON").at(name);
  TRY_ASSIGN(studied.timeline, ingest::trace::read_trace(name, unpacked, progress));
  studied.attribution = derive::trace::attribute(studied.timeline);
  studied.steps = derive::trace::find_steps(studied.timeline);
  studied.processes = derive::trace::break_down(studied.timeline, studied.attribution, studied.steps);
  studied.backward = derive::trace::join_backward(studied.timeline, studied.attribution);
  return studied;
}

// Of one rank, or (-1) of all that is in the file.
std::unique_ptr<TraceReport> TraceAnalyst::report_on(const Studied& studied, std::vector<StepTable> processes, std::int64_t rank) const {
  const Timeline& timeline = studied.timeline;
  auto report = std::make_unique<TraceReport>();
  report->source = timeline.source;
  report->facts = timeline.facts;
  report->clock_broken = timeline.clock_broken;
  report->is_part_of_file = rank >= 0;
  if (rank >= 0) report->facts.rank = rank;
  count_events(timeline, studied.attribution, studied.backward, rank, *report);
  report->processes = std::move(processes);
  rank_by_time(timeline, studied.attribution, studied.backward, rank, *report);
  // Of all ranks in the file: nobody's own.
  const std::vector<model::GpuSample> memory = rank >= 0 ? std::vector<model::GpuSample>() : derive::trace::memory_peaks(timeline);
  static_cast<RunScopes&>(*report) = scopes_of(*judge_, recorded(*report, memory, is_alone(*report)));
  for (const StepTable& process : report->processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      GpuVerdict verdict{process.pid, gpu.device, derive::steps::facts_of(process, &gpu, report->scope().skipped), {}};
      const diagnose::RunSample sample{report->scope().step_numbers.size(), report->has_step_boundaries(), report->clock_broken};
      verdict.primary =
          diagnose::diagnose_run(judge_->labels(), verdict.facts, derive::steps::dominant_stall(verdict.facts), sample).user_facing;
      report->gpus.push_back(std::move(verdict));
    }
  }
  add_notes(timeline, *report);
  return report;
}

Result<std::unique_ptr<TraceReport>> TraceAnalyst::analyse(std::string name, ByteSource& source,
                                                           const std::function<void(std::uint64_t)>& progress) const {
  TRY_ASSIGN(Studied studied, study(name, source, progress));
  std::vector<StepTable> processes = std::move(studied.processes);
  return report_on(studied, std::move(processes), -1);
}

Result<std::vector<RankRecording>> TraceAnalyst::analyse_ranks(std::string name, ByteSource& source, Interner& words,
                                                               const std::function<void(std::uint64_t)>& progress) const {
  TRY_ASSIGN(Studied studied, study(name, source, progress));
  const Timeline& timeline = studied.timeline;
  std::map<std::int64_t, std::vector<StepTable>> ranks = by_rank(timeline, studied.processes);
  if (ranks.empty()) ranks.emplace(-1, std::move(studied.processes));
  std::vector<RankRecording> recordings;
  for (auto& [rank, own] : ranks) {
    RankRecording recording;
    // Without its clock a trace does not even tell the order of its kernels.
    if (!timeline.clock_broken)
      recording.collectives =
          derive::ranks::sequence_of(timeline, studied.attribution, steps_of(studied.steps, own.front().pid), rank, words);
    recording.report = report_on(studied, std::move(own), rank);
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

RunScope TraceAnalyst::judged_with(const TraceReport& report, const model::RunFacts& facts, bool ranks_compared) const {
  return report::judged_with(*judge_, recorded(report, {}, ranks_compared), report.scope(), facts);
}

bool may_be_trace(ByteSource& source) {
  ingest::UnpackedSource unpacked(source);
  const Result<std::string_view> head = unpacked.head();
  return head && ingest::trace::may_be_trace(*head);
}

}  // namespace frx::report
