#include "report/rank_identity.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "derive/ranks/file_names.h"

namespace frx::report {
namespace {

bool take_rank(RankOfRun& one) {
  const TraceReport& trace = *one.trace;
  if (trace.facts.rank) {
    one.rank = *trace.facts.rank;
    one.from = trace.is_part_of_file ? RankSource::events : RankSource::distributed_info;
    return true;
  }
  const std::optional<std::int64_t> named = derive::ranks::rank_in_name(trace.source);
  if (!named) return false;
  one.rank = *named;
  one.from = RankSource::file_name;
  return true;
}

// On one machine a rank has the GPU of its number. Only where no trace names its rank, and collectives show that there are ranks.
bool take_devices(std::vector<RankOfRun>& ranks) {
  for (RankOfRun& one : ranks) {
    if (one.trace->gpus.size() != 1 || one.collectives.calls.empty()) return false;
    one.rank = one.trace->gpus.front().device;
    one.from = RankSource::device;
  }
  return true;
}

Failure not_one_run(const RunWords& words, std::string found, const NumberedRank& a, const NumberedRank& b) {
  return fail(ErrorKind::malformed, "expected the {} of one run, found {}: {} and {}", words.what, found, printable(a.trace),
              printable(b.trace))
      .hint(std::string(words.hint));
}

Result<std::optional<std::int64_t>> world_of(std::span<const NumberedRank> ranks, const RunWords& words, std::vector<std::string>& notes) {
  const NumberedRank* first = nullptr;
  for (const NumberedRank& one : ranks) {
    if (one.world_size.value_or(0) <= 0) continue;
    if (first && *one.world_size != *first->world_size) {
      return not_one_run(words, fmt::format("worlds of {} and of {} ranks", *first->world_size, *one.world_size), *first, one);
    }
    first = &one;
  }
  if (!first) return std::optional<std::int64_t>();
  if (ranks.back().rank >= *first->world_size) {
    notes.push_back(fmt::format("rank {} is beyond the {} of its world", ranks.back().rank,
                                count_text(static_cast<std::size_t>(*first->world_size), "rank")));
  }
  return first->world_size;
}

// The gaps before, between and after the present ranks; after the last only where the size of the world is known.
std::vector<std::pair<std::int64_t, std::int64_t>> gaps_between(std::span<const NumberedRank> ranks,
                                                                std::optional<std::int64_t> world_size) {
  std::vector<std::pair<std::int64_t, std::int64_t>> gaps;
  std::int64_t next = 0;
  const auto gap = [&](std::int64_t end) {
    if (next < end) gaps.emplace_back(next, end - 1);
  };
  for (const NumberedRank& one : ranks) {
    gap(one.rank);
    next = one.rank + 1;
  }
  if (world_size) gap(*world_size);
  return gaps;
}

}  // namespace

std::string_view name_of(RankSource source) {
  switch (source) {
    case RankSource::distributed_info: return "distributedInfo";
    case RankSource::events: return "events";
    case RankSource::file_name: return "file name";
    case RankSource::device: return "GPU number";
  }
  return "";
}

Result<RanksPresent> ranks_present(std::span<const NumberedRank> ranks, const RunWords& words, std::vector<std::string>& notes) {
  const auto twice = std::ranges::adjacent_find(ranks, {}, &NumberedRank::rank);
  if (twice != ranks.end()) return not_one_run(words, fmt::format("rank {} twice", twice->rank), *twice, *std::next(twice));
  if (ranks.front().rank < 0 || ranks.back().rank == INT64_MAX) {
    return fail(ErrorKind::malformed, "expected ranks from 0 on, found {}", ranks.front().rank < 0 ? ranks.front().rank : INT64_MAX);
  }
  RanksPresent present;
  TRY_ASSIGN(present.world_size, world_of(ranks, words, notes));
  present.missing = gaps_between(ranks, present.world_size);
  return present;
}

Result<> identify(RanksReport& report) {
  std::vector<RankOfRun>& ranks = report.ranks;
  std::vector<std::string> unnamed;
  for (RankOfRun& one : ranks) {
    if (!take_rank(one)) unnamed.push_back(printable(one.trace->source));
  }
  if (!unnamed.empty() && (unnamed.size() < ranks.size() || !take_devices(ranks))) {
    if (ranks.size() == 1) return {};
    return fail(ErrorKind::malformed, "expected the traces of the ranks of one run, found {} that {} no rank: {}",
                count_text(unnamed.size(), "trace"), unnamed.size() == 1 ? "names" : "name",
                unnamed.size() > 2 ? unnamed[0] + ", ..." : join(unnamed, ", "))
        .hint("analyse one trace at a time, or put the rank into the names: trace.rank0.json, trace.rank1.json");
  }
  std::ranges::stable_sort(ranks, {}, &RankOfRun::rank);
  std::vector<NumberedRank> numbered;
  for (const RankOfRun& one : ranks) numbered.push_back({one.rank, one.trace->source, one.trace->facts.world_size});
  const RunWords words{"traces", "name the traces that belong together: frx analyze run1.rank0.json run1.rank1.json"};
  TRY_ASSIGN(RanksPresent present, ranks_present(numbered, words, report.notes));
  report.world_size = present.world_size;
  report.missing = std::move(present.missing);
  return {};
}

std::vector<std::size_t> last_recordings(const std::vector<std::string>& names, std::vector<std::string>& notes) {
  std::map<std::string, std::pair<std::uint64_t, std::size_t>> last;  // by worker: time, index
  std::vector<std::size_t> kept;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<derive::ranks::Recording> recording = derive::ranks::recording_in_name(names[i]);
    if (!recording) {
      kept.push_back(i);
      continue;
    }
    auto [at, is_new] = last.try_emplace(recording->worker, recording->time, i);
    left_out += !is_new;
    if (!is_new && recording->time > at->second.first) at->second = {recording->time, i};
  }
  for (const auto& [worker, recording] : last) kept.push_back(recording.second);
  std::ranges::sort(kept);
  if (left_out > 0) {
    notes.push_back(fmt::format("of each process only the last recording is read; {} left out", count_text(left_out, "earlier one")));
  }
  return kept;
}

}  // namespace frx::report
