#include "report/ranks_analyst.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "report/fleet_report.h"
#include "report/rank_identity.h"
#include "report/rank_recording.h"

namespace frx::report {
namespace {

using derive::ranks::LateVerdict;
using model::RunFact;

Result<std::vector<RankRecording>> recordings_of(const TraceAnalyst& analyst, const TraceFile& file, const OpenEach& open_each,
                                                 Layouts layouts, Interner& words) {
  if (file.recordings) return file.recordings(analyst, words);
  TRY_ASSIGN(model::Timeline timeline, file.read(open_each));
  return analyst.analyse_ranks(std::move(timeline), words, layouts);
}

Result<> read(const TraceAnalyst& analyst, const TraceFile& file, const OpenEach& open_each, Layouts layouts, RanksReport& report) {
  TRY_ASSIGN(std::vector<RankRecording> recordings, recordings_of(analyst, file, open_each, layouts, report.words));
  for (RankRecording& one : recordings) {
    std::string node = one.node.empty() ? node_in_name(one.report->source) : std::move(one.node);
    report.ranks.push_back({0, RankSource::distributed_info, std::move(one.report), std::move(one.collectives), std::move(node)});
  }
  return {};
}

Result<> read_all(const TraceAnalyst& analyst, const std::vector<TraceFile>& files, const OpenEach& open_each, Layouts layouts,
                  RanksReport& report) {
  std::vector<std::string> names;
  for (const TraceFile& file : files) names.push_back(file.name);
  std::optional<Error> first;
  for (const std::size_t i : last_recordings(names, report.notes)) {
    const Result<> done = read(analyst, files[i], open_each, layouts, report);
    if (done) continue;
    if (!first) first = done.error();
    report.notes.push_back(fmt::format("{} is left out: {}", printable(files[i].name), done.error().message));
  }
  if (report.ranks.empty() && first) return Failure{*first};
  return {};
}

void compare(RanksReport& report) {
  std::vector<derive::ranks::Participant> participants;
  for (const RankOfRun& one : report.ranks) participants.push_back({one.rank, &one.collectives, one.trace->scope().step_numbers});
  report.matching = derive::ranks::match(participants, report.words);
  std::vector<derive::ranks::RankTimes> times;
  for (const RankOfRun& one : report.ranks) {
    const double step = one.trace->step_time_ns().value_or(0);
    times.push_back(
        {step * static_cast<double>(report.matching.steps), one.trace->scope().facts[RunFact::communication_fraction].value_or(0)});
  }
  report.lateness = derive::ranks::lateness_of(report.matching, times);
}

void collect_opinions(RanksReport& report) {
  std::map<std::string, std::vector<std::int64_t>> by_label;
  for (const RankOfRun& one : report.ranks) by_label[one.trace->scope().diagnosis.user_facing].push_back(one.rank);
  for (auto& [label, ranks] : by_label) report.opinions.push_back({label, std::move(ranks)});
  std::ranges::stable_sort(report.opinions, std::ranges::greater{}, [](const Opinion& one) { return one.ranks.size(); });
}

// The most common answer; where two are equally common, the one that the rank has whom the others wait for most.
std::string_view common_answer(const RanksReport& report) {
  std::string_view label = report.opinions.front().label;
  double most = -1;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const std::string& own = report.ranks[i].trace->scope().diagnosis.user_facing;
    const auto opinion = std::ranges::find(report.opinions, own, &Opinion::label);
    const double blamed = report.lateness.ranks.empty() ? 0 : report.lateness.ranks[i].blamed_share;
    if (opinion->ranks.size() < report.opinions.front().ranks.size() || blamed <= most) continue;
    most = blamed;
    label = opinion->label;
  }
  return label;
}

// Of the ranks with the most common answer, the one with the middle step time.
std::size_t typical_rank(const RanksReport& report) {
  const std::string_view label = common_answer(report);
  std::vector<std::pair<double, std::size_t>> times;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankOfRun& one = report.ranks[i];
    if (one.trace->scope().diagnosis.user_facing == label) times.emplace_back(one.trace->step_time_ns().value_or(0), i);
  }
  std::ranges::sort(times);
  return times[(times.size() - 1) / 2].second;
}

// The others wait for a late rank, so its own bottleneck slows down the run. Its own waits for another late rank do not.
void answer(const TraceAnalyst& analyst, RanksReport& report) {
  for (RankOfRun& one : report.ranks) one.trace->program.ranks_given = report.ranks.size() > 1;
  report.answering = report.has_late_rank() ? report.lateness.late.front() : typical_rank(report);
  const TraceReport& trace = *report.ranks[report.answering].trace;
  const LateVerdict verdict = report.lateness.verdict;
  // Waiting is no communication, whichever rank is waited for.
  if (verdict == LateVerdict::late || verdict == LateVerdict::no_single_rank)
    report.left_out = report.lateness.ranks[report.answering].lost_share;
  const bool known = verdict == LateVerdict::late || verdict == LateVerdict::no_single_rank || verdict == LateVerdict::little_waiting;
  report.scope = analyst.judged_with(trace, derive::ranks::without_waiting(trace.scope().facts, report.left_out), known);
}

// Notes on what was not compared.
void note_what_is_left_out(RanksReport& report) {
  std::uint64_t point_to_point = 0, outside = 0;
  for (const RankOfRun& one : report.ranks) {
    point_to_point += one.collectives.point_to_point;
    outside += one.collectives.outside_steps;
  }
  const auto note = [&](std::uint64_t count, std::string_view what, std::string_view why) {
    if (count > 0) report.notes.push_back(fmt::format("{} not compared: {}", count_text(count, what), why));
  };
  note(report.matching.steps_left_out, "step", "not on all ranks");
  note(point_to_point, "kernel", "sends and receives, which are no collectives");
  note(outside, "kernel", "collectives launched outside of the steps");
  note(report.matching.alone, "kernel", "collectives of groups of which only one rank is here");
}

// The notes of the traces, each once.
void gather_notes(RanksReport& report) {
  note_what_is_left_out(report);
  std::map<std::string, std::vector<std::string>> by_text;
  for (const RankOfRun& one : report.ranks) {
    for (const std::string& note : one.trace->notes) by_text[note].push_back(fmt::format("{}", one.rank));
  }
  for (const auto& [text, ranks] : by_text) {
    const std::string who = ranks.size() == report.ranks.size() ? "every rank"
                            : ranks.size() == 1                 ? "rank " + ranks[0]
                                                                : "ranks " + join(ranks, ", ");
    report.notes.push_back(fmt::format("{}: {}", who, text));
  }
}

// The reader of one trace sees the report of that trace.
void tell_the_only_rank(RanksReport& report) {
  TraceReport& trace = *report.ranks.front().trace;
  trace.notes.insert(trace.notes.end(), report.notes.begin(), report.notes.end());
  if (trace.facts.world_size.value_or(1) > 1) {
    trace.notes.push_back(fmt::format("one rank of {}: whether it waits for a late one shows when the traces of all are analysed together",
                                      *trace.facts.world_size));
  }
}

}  // namespace

TraceFile trace_file(std::string name, std::function<Result<std::unique_ptr<ByteSource>>()> open, Layouts layouts) {
  auto read = [name, open = std::move(open), layouts](const OpenEach& open_each) -> Result<model::Timeline> {
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open());
    return read_trace(name, *source, open_each ? open_each(name, source->size_hint()) : nullptr, layouts);
  };
  return {std::move(name), std::move(read), {}};
}

Result<std::unique_ptr<RanksReport>> analyse_ranks(const TraceAnalyst& analyst, std::string source, const std::vector<TraceFile>& files,
                                                   const OpenEach& open_each, Layouts layouts) {
  auto report = std::make_unique<RanksReport>();
  report->source = std::move(source);
  TRY(read_all(analyst, files, open_each, files.size() == 1 ? layouts : Layouts::left_out, *report));
  if (Result<> known = identify(*report); !known) return Failure{std::move(known).error()}.at(report->source);
  compare(*report);
  if (report->ranks.size() > 1) {
    TRY_ASSIGN(report->fleet, fleet_of(analyst, *report));
  }
  collect_opinions(*report);
  answer(analyst, *report);
  // Of the others nothing is drawn.
  for (std::size_t i = 0; i < report->ranks.size(); ++i) {
    if (i != report->answering) report->ranks[i].trace->picture = nullptr;
  }
  report->ranks.size() > 1 ? gather_notes(*report) : tell_the_only_rank(*report);
  return report;
}

}  // namespace frx::report
