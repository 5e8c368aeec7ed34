#include <algorithm>

#include "compose/fleet_words.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using derive::ranks::LateVerdict;
using derive::ranks::Matched;
using derive::ranks::Mismatch;
using report::RankOfRun;
using report::RanksReport;
using report::RunScope;

// Of the collectives, those that ranks waited in longest.
constexpr std::size_t collectives_listed = 100, mismatches_shown = 20;

std::string_view name_of(LateVerdict verdict) {
  switch (verdict) {
    case LateVerdict::late: return "late";
    case LateVerdict::no_single_rank: return "nobody";
    case LateVerdict::little_waiting: return "little_waiting";
    case LateVerdict::chance: return "chance";
    case LateVerdict::not_together: return "not_together";
    case LateVerdict::no_collectives: return "no_collectives";
  }
  return "";
}

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

void put_rank(JsonObject& out, const RanksReport& report, const RankOfRun& one) {
  const RunScope& scope = one.trace->scope();
  const bool compared = report.lateness.counted > 0;
  const auto& late = report.lateness.ranks[static_cast<std::size_t>(&one - report.ranks.data())];
  const std::optional<double> step = one.trace->step_time_ns();
  out.add("rank", one.rank, "rank_source", name_of(one.from), "filename", one.trace->source, "scope", scope.name, "step_count",
          scope.step_numbers.size(), "step_time_avg_ns", step ? std::optional(whole(*step)) : std::nullopt);
  put_facts(out, scope.facts);
  out.add("primary_bottleneck", unless_empty(scope.diagnosis.primary), "user_facing_bottleneck", unless_empty(scope.diagnosis.user_facing));
  out.object("confidence",
             [&](JsonObject& inner) { inner.add("level", scope.diagnosis.confidence_level, "score", scope.diagnosis.confidence); });
  out.add("collectives", one.collectives.calls.size(), "collectives_outside_steps", one.collectives.outside_steps, "sends_and_receives",
          one.collectives.point_to_point, "waited_ns", when(compared, whole(late.waited_ns)), "waited_share",
          when(compared, late.waited_share), "lost_share", when(compared, late.lost_share), "held_up_others_ns",
          when(compared, whole(late.blamed_ns)), "held_up_others_share", when(compared, late.held_up_share), "share_of_blame",
          when(compared, late.blamed_share), "came_last", when(compared, late.last));
}

void put_collective(JsonObject& out, const RanksReport& report, const Matched& one) {
  const auto durations = report.matching.durations_of(one);
  const auto& members = report.matching.members[one.members];
  const auto [shortest, longest] = std::ranges::minmax_element(durations);
  const std::uint32_t last = members[static_cast<std::size_t>(shortest - durations.begin())];
  out.add("group", report.words[one.group], "collective", report.words[one.what], "step_id", one.step, "number_in_step", one.nth,
          "shortest_ns", *shortest, "longest_ns", *longest, "ended_together", one.together, "ends_apart_ns", one.apart, "last_rank",
          when(one.together && derive::ranks::shows_waiting(durations), report.ranks[last].rank));
  out.list("ranks", std::views::iota(std::size_t{0}, members.size()),
           [&](JsonObject& inner, std::size_t i) { inner.add("rank", report.ranks[members[i]].rank, "duration_ns", durations[i]); });
}

// Longest waits first; where ends were not together there is no wait.
std::vector<const Matched*> collectives_to_show(const RanksReport& report) {
  std::vector<std::pair<std::int64_t, const Matched*>> order;
  for (const Matched& one : report.matching.collectives) {
    const auto [shortest, longest] = std::ranges::minmax(report.matching.durations_of(one));
    order.emplace_back(one.together ? longest - shortest : -1, &one);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<std::int64_t, const Matched*>::first);
  std::vector<const Matched*> shown;
  for (const auto& [wait, one] : std::span(order).first(std::min(order.size(), collectives_listed))) shown.push_back(one);
  return shown;
}

void put_mismatch(JsonObject& out, const RanksReport& report, const Mismatch& one) {
  out.add("group", report.words[one.group], "step_id", one.step, "ranks", std::array{one.rank_a, one.rank_b}, "collectives",
          std::array{one.calls_a, one.calls_b}, "first_difference", one.nth, "there",
          std::array{unless_empty(one.what_a), unless_empty(one.what_b)});
}

void put_distributed(JsonObject& out, const RanksReport& report) {
  const auto& matching = report.matching;
  const auto& late = report.lateness;
  const bool described = std::ranges::all_of(report.ranks, [](const RankOfRun& one) { return one.collectives.described; });
  std::vector<std::int64_t> late_ranks;
  for (const std::size_t one : late.late) late_ranks.push_back(report.ranks[one].rank);
  const std::span<const Mismatch> mismatches = matching.mismatches;
  out.add("verdict", name_of(late.verdict), "late_ranks", late_ranks, "share_of_blame", when(report.has_late_rank(), late.blamed_share),
          "share_of_blame_low", when(report.has_late_rank(), late.blamed_share_low), "share_of_blame_high",
          when(report.has_late_rank(), late.blamed_share_high), "came_last", when(report.has_late_rank(), late.last), "lost_share",
          when(late.counted > 0, late.lost_share), "steps_compared", matching.steps, "steps_not_on_all_ranks", matching.steps_left_out,
          "matched_by", described ? "arguments" : "kernel names", "collectives_matched", matching.collectives.size(),
          "collectives_ended_together", matching.together, "collectives_with_waiting", late.with_waiting, "collectives_of_one_rank",
          matching.alone, "sequences_that_differ", mismatches.size());
  out.list("differences", mismatches.first(std::min(mismatches.size(), mismatches_shown)),
           [&](JsonObject& inner, const Mismatch& one) { put_mismatch(inner, report, one); });
  out.list("collectives", collectives_to_show(report), [&](JsonObject& inner, const Matched* one) { put_collective(inner, report, *one); });
}

void put_answer(JsonObject& out, const RanksReport& report) {
  put_scope_name(out, report.scope);
  out.add("step_count", report.scope.step_numbers.size(), "rank", report.ranks[report.answering].rank, "rule",
          report.has_late_rank() ? "most_waited_for" : "most_common", "waiting_left_out_share", report.left_out);
  put_facts(out, report.scope.facts);
  put_run_verdict(out, report.scope);
}

}  // namespace

void put_ranks(JsonObject& out, const RanksReport& report) {
  out.add("schema", "ranks_analysis_v1", "source", report.source, "world_size", report.world_size, "rank_count", report.ranks.size());
  out.list("missing_ranks", report.missing, [](JsonObject& inner, const auto& gap) { inner.add("first", gap.first, "last", gap.second); });
  out.object("run", [&](JsonObject& inner) { put_answer(inner, report); });
  out.object("distributed", [&](JsonObject& inner) { put_distributed(inner, report); });
  out.object("fleet", [&](JsonObject& inner) { put_fleet(inner, FleetView(report)); });
  out.list("opinions", report.opinions,
           [](JsonObject& inner, const report::Opinion& one) { inner.add("label", unless_empty(one.label), "ranks", one.ranks); });
  out.list("ranks", report.ranks, [&](JsonObject& inner, const RankOfRun& one) { put_rank(inner, report, one); });
  out.add("notes", report.notes);
}

}  // namespace frx::compose
