#include "compose/ranks_words.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units.h"

namespace frx::compose {
namespace {

using derive::ranks::LatenessRule;
using derive::ranks::LateVerdict;
using derive::ranks::Mismatch;
using report::RankOfRun;
using report::RanksReport;

constexpr std::size_t ranges_shown = 8;

std::string listed(std::vector<std::string> words) {
  if (words.size() > ranges_shown) {
    words.resize(ranges_shown);
    words.emplace_back("others");
  }
  return join_with_and(words);
}

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 && share > 0 ? 1 : 0); }

std::vector<std::int64_t> late_ranks(const RanksReport& report) {
  std::vector<std::int64_t> ranks;
  for (const std::size_t one : report.lateness.late) ranks.push_back(report.ranks[one].rank);
  return ranks;
}

std::size_t most_blamed(const RanksReport& report) {
  const auto& ranks = report.lateness.ranks;
  return static_cast<std::size_t>(std::ranges::max_element(ranks, {}, &derive::ranks::RankLateness::blamed_ns) - ranks.begin());
}

// "the only collective", "all 12 collectives", "48 of the 53 collectives".
std::string of_collectives(std::uint64_t some, std::uint64_t all) {
  if (some == all) return all == 1 ? "the only collective" : fmt::format("all {}", count_text(all, "collective"));
  return fmt::format("{} of the {}", some, count_text(all, "collective"));
}

// Mean over the ranks that are not late.
double lost_by_others(const RanksReport& report) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    if (std::ranges::find(report.lateness.late, i) != report.lateness.late.end()) continue;
    sum += report.lateness.ranks[i].lost_share;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::string named_late(const RanksReport& report) {
  const auto& late = report.lateness;
  const bool one = late.late.size() == 1;
  std::string who = ranks_text(late_ranks(report));
  who[0] = 'R';
  return fmt::format(
      "{} {} late: {} of the waiting in collectives is for {} (95 % sure: {} to {}), and {} came last to {} in which ranks waited. The "
      "other ranks lose {} of "
      "a step that way, in the mean.",
      who, one ? "is" : "are", percent(late.blamed_share), one ? "it" : "them", percent(late.blamed_share_low),
      percent(late.blamed_share_high), one ? "it" : "one of them", of_collectives(late.last, late.with_waiting),
      percent(lost_by_others(report)));
}

std::string no_single_rank_late(const RanksReport& report) {
  const auto& late = report.lateness;
  const std::size_t most = most_blamed(report);
  return fmt::format(
      "No rank is clearly late. Ranks lose {} of a step waiting for each other, but now for one, now for another: rank {} has most of the "
      "blame ({}) and came last to {} in which ranks waited.",
      percent(late.lost_share), report.ranks[most].rank, percent(late.ranks[most].blamed_share),
      of_collectives(late.ranks[most].last, late.with_waiting));
}

std::string why_nothing_matched(const RanksReport& report) {
  const auto& matching = report.matching;
  if (!matching.mismatches.empty()) return "the sequences of collectives differ between the ranks";
  if (matching.steps == 0) return "the traces have no step in common";
  if (matching.alone > 0) return "of every group of ranks that communicates only one is here";
  return "no collectives were recorded on the GPUs in the steps that count";
}

std::string call_text(const std::string& what) { return what.empty() ? "nothing" : printable(what); }

}  // namespace

std::string ranks_text(std::vector<std::int64_t> ranks) {
  std::ranges::sort(ranks);
  std::vector<std::string> words;
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    while (end < ranks.size() && ranks[end] - ranks[begin] == static_cast<std::int64_t>(end - begin)) ++end;
    if (end - begin > 2) {
      words.push_back(fmt::format("{}-{}", ranks[begin], ranks[end - 1]));
    } else {
      for (std::size_t i = begin; i < end; ++i) words.push_back(fmt::format("{}", ranks[i]));
    }
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(std::move(words));
}

std::string gaps_text(std::span<const std::pair<std::int64_t, std::int64_t>> gaps) {
  std::vector<std::string> words;
  for (const auto& [first, last] : gaps) words.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  return (gaps.size() == 1 && gaps[0].first == gaps[0].second ? "rank " : "ranks ") + listed(std::move(words));
}

std::string who_is_here(const RanksReport& report) {
  std::vector<std::string> sources;
  for (const RankOfRun& one : report.ranks) {
    const std::string source(name_of(one.from));
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }
  const std::string size = report.world_size ? fmt::format("{} of {}", report.ranks.size(), *report.world_size)
                                             : fmt::format("{}, of a world whose size is not said", report.ranks.size());
  return fmt::format("{} (rank numbers from {})", size, join(sources, ", "));
}

std::string late_sentence(const RanksReport& report) {
  const auto& late = report.lateness;
  switch (late.verdict) {
    case LateVerdict::late: return named_late(report);
    case LateVerdict::no_single_rank: return no_single_rank_late(report);
    case LateVerdict::little_waiting:
      return fmt::format(
          "No rank is clearly late: ranks lose {} of a step waiting for each other, too little to be worth a search (from {} on).",
          percent(late.lost_share), percent(LatenessRule::lost_share));
    case LateVerdict::chance: {
      const std::size_t most = most_blamed(report);
      return fmt::format(
          "No rank is clearly late: rank {} came last to {} in which ranks waited, but so few may be chance. More steps would tell.",
          report.ranks[most].rank, of_collectives(late.ranks[most].last, late.with_waiting));
    }
    case LateVerdict::not_together:
      return fmt::format(
          "Who is late cannot be told: of {} that have the same name and place on these ranks only {} ended together, so they may not be "
          "the same ones.",
          count_text(report.matching.collectives.size(), "collective"), late.counted);
    case LateVerdict::no_collectives: return fmt::format("Who is late cannot be told: {}.", why_nothing_matched(report));
  }
  return {};
}

std::string answer_sentence(const RanksReport& report) {
  const std::int64_t rank = report.ranks[report.answering].rank;
  if (!report.has_late_rank()) {
    const std::string left_out =
        report.left_out >= 0.005 ? fmt::format(" The {} of its step that it waits for others are left out.", percent(report.left_out)) : "";
    if (report.opinions.size() == 1)
      return fmt::format("All ranks say so; the numbers are of rank {}, the one with the middle step time.{}", rank, left_out);
    const bool tie = report.opinions[1].ranks.size() == report.opinions[0].ranks.size();
    return fmt::format("The answer of {}; the numbers are of rank {}, of those the one with the middle step time.{}",
                       tie ? "as many ranks as any other, and of the one that the others wait for most" : "most ranks", rank, left_out);
  }
  std::string text = fmt::format("The answer of rank {}: the others wait for it, so what slows it down slows down the run.", rank);
  if (report.left_out >= 0.005) {
    text += fmt::format(" The {} of its step that it waits for other late ranks are left out.", percent(report.left_out));
  }
  return text;
}

std::string disagreement(const RanksReport& report) {
  std::vector<std::string> parts;
  for (const report::Opinion& one : report.opinions) {
    if (one.label == report.scope.diagnosis.user_facing) continue;
    parts.push_back(fmt::format("{} ({})", one.label.empty() ? "nothing" : one.label, ranks_text(one.ranks)));
  }
  return parts.empty() ? "" : fmt::format("Looked at alone, their traces say: {}.", join(parts, "; "));
}

std::string streams_sentence(const report::RunReport& report) {
  const std::string& label = report.scope().diagnosis.user_facing;
  std::vector<std::int64_t> same;
  std::map<std::string, std::vector<std::int64_t>> others;
  for (const report::StreamOfRank& one : report.streams) {
    const std::string& own = one.scope().diagnosis.user_facing;
    (own == label ? same : others[own]).push_back(one.rank);
  }
  const std::int64_t rank = report.streams[report.answering].rank;
  if (others.empty()) return fmt::format("All ranks say so; the numbers are of rank {}, the one with the middle step time.", rank);
  std::vector<std::string> parts;
  for (const auto& [own, ranks] : others) parts.push_back(fmt::format("{} ({})", own.empty() ? "nothing" : own, ranks_text(ranks)));
  return fmt::format("The most common answer ({}); the numbers are of rank {}, of those the one with the middle step time. Others say: {}.",
                     ranks_text(same), rank, join(parts, "; "));
}

std::string mismatch_sentence(const RanksReport& report) {
  const auto& all = report.matching.mismatches;
  if (all.empty()) return {};
  const Mismatch& first = all.front();
  std::string text = fmt::format(
      "Sequences of collectives differ: in step {} rank {} has {} and rank {} has {} in {}; the first that differs is number {}, {} "
      "against {}.",
      first.step, first.rank_a, first.calls_a, first.rank_b, first.calls_b, printable(report.words[first.group]), first.nth,
      call_text(first.what_a), call_text(first.what_b));
  if (all.size() > 1) text += fmt::format(" {} differ in all.", count_text(all.size(), "sequence"));
  return text + " They are not compared.";
}

}  // namespace frx::compose
