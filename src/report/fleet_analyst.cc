#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "base/text.h"
#include "base/units.h"
#include "report/fleet_report.h"
#include "report/rank_identity.h"
#include "report/ranks_report.h"

namespace frx::report {
namespace {

using derive::ranks::FleetCall;
using derive::ranks::FleetRank;
using derive::ranks::Habit;
using ingest::rank_summary::SummaryFile;
using model::RankCall;

// What is added to the times of each rank: their time of day where all ranks say theirs, so that clocks can be compared; else nothing.
std::vector<std::int64_t> comparable(std::vector<std::int64_t> bases) {
  if (std::ranges::find(bases, 0) != bases.end()) std::ranges::fill(bases, 0);
  return bases;
}

std::int64_t shifted(std::int64_t time, std::int64_t base) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(time, base, &sum) ? time : sum;
}

// Calls of summaries: a block of each rank is held.
class CallsOfFiles final : public derive::ranks::FleetCalls {
 public:
  // The next rank. `words`: the numbers of its words among those of all; `base`: what is added to its times.
  void add(std::shared_ptr<const SummaryFile> file, std::vector<SummaryFile::Section> blocks, std::vector<std::uint32_t> words,
           std::int64_t base) {
    cursors_.push_back({std::move(file), std::move(blocks), std::move(words), base, 0, {}, 0});
  }

  Result<> read(std::size_t rank, std::int64_t step, std::vector<FleetCall>& into) override {
    Cursor& cursor = cursors_[rank];
    while (true) {
      for (; cursor.at < cursor.calls.size() && cursor.calls[cursor.at].step <= step; ++cursor.at) {
        const RankCall& call = cursor.calls[cursor.at];
        if (call.step < step) continue;
        const bool is_send = call.group == RankCall::no_group;
        into.push_back({cursor.words[call.what], is_send ? RankCall::no_group : cursor.words[call.group], shifted(call.start, cursor.base),
                        call.duration});
      }
      if (cursor.at < cursor.calls.size()) return {};
      while (cursor.next < cursor.blocks.size() && cursor.blocks[cursor.next].last_step < step) ++cursor.next;
      if (cursor.next == cursor.blocks.size() || cursor.blocks[cursor.next].first_step > step) return {};
      TRY_ASSIGN(cursor.calls, cursor.file->calls(cursor.blocks[cursor.next++], cursor.words.size()));
      cursor.at = 0;
    }
  }

 private:
  struct Cursor {
    std::shared_ptr<const SummaryFile> file;
    std::vector<SummaryFile::Section> blocks;
    std::vector<std::uint32_t> words;
    std::int64_t base = 0;
    std::size_t next = 0;         // block
    std::vector<RankCall> calls;  // of the block before
    std::size_t at = 0;
  };
  std::vector<Cursor> cursors_;
};

// Calls of ranks that were read whole.
class CallsOfSequences final : public derive::ranks::FleetCalls {
 public:
  // `bases`: what is added to the times of each rank.
  CallsOfSequences(const RanksReport& report, const std::vector<std::int64_t>& bases) {
    for (const RankOfRun& one : report.ranks) {
      const std::int64_t base = bases[by_step_.size()];
      std::map<std::int64_t, std::vector<FleetCall>>& steps = by_step_.emplace_back();
      const auto add = [&](const derive::ranks::Collective& call) {
        steps[call.step].push_back({call.what, call.group, shifted(call.end - call.duration, base), call.duration});
      };
      std::ranges::for_each(one.collectives.calls, add);
      std::ranges::for_each(one.collectives.sends, add);
      for (auto& [step, calls] : steps) std::ranges::stable_sort(calls, {}, &FleetCall::start);
    }
  }
  Result<> read(std::size_t rank, std::int64_t step, std::vector<FleetCall>& into) override {
    const auto found = by_step_[rank].find(step);
    if (found != by_step_[rank].end()) into = found->second;
    return {};
  }

 private:
  std::vector<std::map<std::int64_t, std::vector<FleetCall>>> by_step_;
};

Result<> check_identity(FleetReport& report) {
  std::vector<NumberedRank> ranks;
  for (const model::RankHead& head : report.heads) ranks.push_back({*head.rank, head.trace, head.world_size});
  const RunWords words{"ranks", "name the summaries that belong together, or a folder that holds nothing else"};
  TRY_ASSIGN(RanksPresent present, ranks_present(ranks, words, report.notes));
  report.world_size = present.world_size;
  report.missing = std::move(present.missing);
  return {};
}

struct KnownRank {
  FleetEntry entry;
  std::vector<std::string> words;
  std::vector<SummaryFile::Section> blocks;  // of calls
};

// The entries by rank. What is damaged is left out with a note; it is an error where nothing is left.
Result<std::vector<KnownRank>> by_rank(const std::vector<FleetEntry>& entries, FleetReport& report) {
  std::vector<Result<SummaryFile::WithoutCalls>> known(entries.size(), SummaryFile::WithoutCalls());
  for_each_in_parallel(entries.size(), [&](std::size_t i) { known[i] = entries[i].file->without_calls(entries[i].rank); });
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  std::optional<Error> first;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i]) {
      if (!first) first = known[i].error();
      report.notes.push_back(fmt::format("{} is left out: {}", printable(entries[i].file->name()), known[i].error().message));
      continue;
    }
    if (!known[i]->summary.head.rank) {
      return fail(ErrorKind::malformed, "expected the summaries of the ranks of one run, found one that names no rank")
          .at(entries[i].file->name())
          .hint("put the rank into the name of the trace before it is summarised: trace.rank0.json");
    }
    order.emplace_back(*known[i]->summary.head.rank, i);
  }
  if (order.empty() && first) return Failure{*first};
  std::ranges::sort(order);
  std::vector<KnownRank> sorted;
  for (const auto& [rank, i] : order) {
    sorted.push_back({entries[i], std::move(known[i]->summary.words), std::move(known[i]->blocks)});
    report.heads.push_back(std::move(known[i]->summary.head));
  }
  return sorted;
}

// The middle one by step time of those that have one.
std::size_t typical(const std::vector<model::RankHead>& heads) {
  std::vector<std::pair<double, std::size_t>> times;
  for (std::size_t i = 0; i < heads.size(); ++i) times.emplace_back(heads[i].step_time_ns.value_or(0), i);
  std::ranges::sort(times);
  return times[(times.size() - 1) / 2].second;
}

void collect_labels(FleetReport& report) {
  std::map<std::string, std::uint64_t> labels;
  for (const model::RankHead& head : report.heads) ++labels[head.label];
  report.labels.assign(labels.begin(), labels.end());
  std::ranges::stable_sort(report.labels, std::ranges::greater{}, &std::pair<std::string, std::uint64_t>::second);
}

void note_what_is_left_out(FleetReport& report) {
  std::uint64_t sends = 0, outside = 0, broken = 0, cut = 0;
  for (const model::RankHead& head : report.heads) {
    sends += head.point_to_point;
    outside += head.outside_steps;
    broken += head.clock_broken;
    cut += head.cut_short;
  }
  const auto note = [&](std::uint64_t count, std::string_view what, std::string_view why) {
    if (count > 0) report.notes.push_back(fmt::format("{} {}", count_text(count, what), why));
  };
  note(report.fleet.steps_left_out, "step", "not compared: most ranks do not have them");
  note(sends, "kernel", "not compared: sends and receives, which are no collectives");
  note(outside, "kernel", "not compared: collectives launched outside of the steps");
  note(report.fleet.alone, "group", "not compared: only one rank of it is here");
  note(broken, "rank", "not compared: the clocks of its recording were mixed");
  note(cut, "recording", "ends early");
}

// The recording of the rank that represents the run.
Result<> answer(const TraceAnalyst& analyst, const FleetEntry& entry, FleetReport& report) {
  TRY_ASSIGN(const model::RankSummary summary, entry.file->whole(entry.rank));
  Result<RankRecording> recording = analyst.analyse_rank(summary, report.words);
  if (!recording) return Failure{std::move(recording).error()}.at(entry.file->name());
  recording->report->program.ranks_given = true;
  report.trace = std::move(recording->report);
  report.scope = analyst.judged_with(*report.trace, report.trace->scope().facts, true);
  return {};
}

}  // namespace

std::optional<std::size_t> costliest(const derive::ranks::Fleet& fleet) {
  std::optional<std::size_t> most;
  const auto cost = [&](std::size_t i) { return fleet.ranks[i].late.cost_ns(); };
  for (std::size_t i = 0; i < fleet.ranks.size(); ++i) {
    if (fleet.ranks[i].late.habit != Habit::none && (!most || cost(i) > cost(*most))) most = i;
  }
  return most;
}

Result<derive::ranks::Fleet> fleet_of(const TraceAnalyst& analyst, const RanksReport& report) {
  TRY_ASSIGN(const knowledge::FleetRules rules, knowledge::FleetRules::load(analyst.judge().knowledge().library));
  std::vector<std::int64_t> bases;
  for (const RankOfRun& one : report.ranks) bases.push_back(one.trace->facts.base_time_ns);
  bases = comparable(std::move(bases));
  CallsOfSequences calls(report, bases);
  std::vector<FleetRank> ranks;
  for (const RankOfRun& one : report.ranks) {
    FleetRank rank{one.rank, one.node, one.trace->scope().step_numbers, one.trace->step_time_ns().value_or(0), bases[ranks.size()]};
    std::ranges::sort(rank.steps);
    ranks.push_back(std::move(rank));
  }
  return derive::ranks::fleet_of(ranks, calls, report.words, rules);
}

Result<std::shared_ptr<FleetReport>> analyse_fleet(const TraceAnalyst& analyst, std::string source, const std::vector<FleetEntry>& entries,
                                                   std::vector<std::string> notes) {
  auto report = std::make_shared<FleetReport>();
  report->source = std::move(source);
  report->notes = std::move(notes);
  TRY_ASSIGN(std::vector<KnownRank> sorted, by_rank(entries, *report));
  if (Result<> known = check_identity(*report); !known) return Failure{std::move(known).error()}.at(report->source);
  TRY_ASSIGN(const knowledge::FleetRules rules, knowledge::FleetRules::load(analyst.judge().knowledge().library));
  std::vector<std::int64_t> bases;
  for (const model::RankHead& head : report->heads) bases.push_back(head.base_time_ns);
  bases = comparable(std::move(bases));
  CallsOfFiles calls;
  std::vector<FleetRank> ranks;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    std::vector<std::uint32_t> words;
    for (const std::string& word : sorted[i].words) words.push_back(report->words.add(word));
    calls.add(sorted[i].entry.file, std::move(sorted[i].blocks), std::move(words), bases[i]);
    model::RankHead& head = report->heads[i];
    ranks.push_back({*head.rank, head.node, std::move(head.steps), head.step_time_ns.value_or(0), bases[i]});
  }
  TRY_ASSIGN(report->fleet, derive::ranks::fleet_of(ranks, calls, report->words, rules));
  collect_labels(*report);
  report->answering = costliest(report->fleet).value_or(typical(report->heads));
  TRY(answer(analyst, sorted[report->answering].entry, *report));
  note_what_is_left_out(*report);
  return report;
}

}  // namespace frx::report
