#include <algorithm>

#include "compose/json.h"
#include "compose/ranks_report.h"
#include "compose/run_scope_json.h"

namespace frx::compose {
namespace {

using derive::ranks::LateVerdict;
using derive::ranks::Matched;
using derive::ranks::Mismatch;
using report::RankOfRun;
using report::RanksReport;
using report::RunScope;

// Of the collectives, those that ranks waited in longest.
constexpr std::size_t collectives_shown = 100, mismatches_shown = 20;

std::string_view name_of(LateVerdict verdict) {
  switch (verdict) {
    case LateVerdict::late: return "late";
    case LateVerdict::nobody: return "nobody";
    case LateVerdict::little_waiting: return "little_waiting";
    case LateVerdict::chance: return "chance";
    case LateVerdict::not_together: return "not_together";
    case LateVerdict::no_collectives: return "no_collectives";
  }
  return "";
}

Json nanoseconds(double value) { return Json(static_cast<std::int64_t>(value)); }

Json rank_json(const RanksReport& report, std::size_t i) {
  const RankOfRun& one = report.ranks[i];
  const RunScope& scope = one.trace->scope();
  const bool compared = report.lateness.counted > 0;
  const auto& late = report.lateness.ranks[i];
  const auto when_compared = [&](Json value) { return compared ? std::move(value) : Json(nullptr); };
  const std::optional<double> step = one.trace->step_time_ns();
  return {{"rank", one.rank},
          {"rank_source", name_of(one.from)},
          {"filename", one.trace->source},
          {"scope", scope.name},
          {"step_count", scope.step_numbers.size()},
          {"step_time_avg_ns", step ? nanoseconds(*step) : Json(nullptr)},
          {"facts", facts_json(scope.facts)},
          {"primary_bottleneck", text_or_null(scope.diagnosis.primary)},
          {"user_facing_bottleneck", text_or_null(scope.diagnosis.user_facing)},
          {"confidence", {{"level", scope.diagnosis.confidence_level}, {"score", number(scope.diagnosis.confidence)}}},
          {"collectives", one.collectives.calls.size()},
          {"collectives_outside_steps", one.collectives.outside_steps},
          {"sends_and_receives", one.collectives.point_to_point},
          {"waited_ns", when_compared(nanoseconds(late.waited_ns))},
          {"waited_share", when_compared(number(late.waited_share))},
          {"lost_share", when_compared(number(late.lost_share))},
          {"held_up_others_ns", when_compared(nanoseconds(late.blamed_ns))},
          {"held_up_others_share", when_compared(number(late.held_up_share))},
          {"share_of_blame", when_compared(number(late.blamed_share))},
          {"came_last", when_compared(Json(late.last))}};
}

Json collective_json(const RanksReport& report, const Matched& one) {
  const auto durations = report.matching.durations_of(one);
  const auto& members = report.matching.members[one.members];
  const auto [shortest, longest] = std::ranges::minmax_element(durations);
  const std::uint32_t last = members[static_cast<std::size_t>(shortest - durations.begin())];
  Json each = Json::array();
  for (std::size_t i = 0; i < members.size(); ++i) each.push_back({{"rank", report.ranks[members[i]].rank}, {"duration_ns", durations[i]}});
  return {{"group", report.words[one.group]},
          {"collective", report.words[one.what]},
          {"step_id", one.step},
          {"number_in_step", one.nth},
          {"shortest_ns", *shortest},
          {"longest_ns", *longest},
          {"ended_together", one.together},
          {"ends_apart_ns", one.apart},
          {"last_rank", one.together && derive::ranks::shows_waiting(durations) ? Json(report.ranks[last].rank) : Json(nullptr)},
          {"ranks", std::move(each)}};
}

// Longest waits first; where ends were not together there is no wait.
Json collectives_json(const RanksReport& report) {
  std::vector<std::pair<std::int64_t, const Matched*>> order;
  for (const Matched& one : report.matching.collectives) {
    const auto [shortest, longest] = std::ranges::minmax(report.matching.durations_of(one));
    order.emplace_back(one.together ? longest - shortest : -1, &one);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<std::int64_t, const Matched*>::first);
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(order.size(), collectives_shown); ++i) list.push_back(collective_json(report, *order[i].second));
  return list;
}

Json mismatches_json(const RanksReport& report) {
  Json list = Json::array();
  for (const Mismatch& one : report.matching.mismatches) {
    if (list.size() == mismatches_shown) break;
    list.push_back({{"group", report.words[one.group]},
                    {"step_id", one.step},
                    {"ranks", {one.rank_a, one.rank_b}},
                    {"collectives", {one.calls_a, one.calls_b}},
                    {"first_difference", one.nth},
                    {"there", {text_or_null(one.what_a), text_or_null(one.what_b)}}});
  }
  return list;
}

Json late_ranks_json(const RanksReport& report) {
  Json list = Json::array();
  for (const std::size_t one : report.lateness.late) list.push_back(report.ranks[one].rank);
  return list;
}

Json distributed_json(const RanksReport& report) {
  const auto& matching = report.matching;
  const auto& late = report.lateness;
  const bool described = std::ranges::all_of(report.ranks, [](const RankOfRun& one) { return one.collectives.described; });
  return {{"verdict", name_of(late.verdict)},
          {"late_ranks", late_ranks_json(report)},
          {"share_of_blame", report.has_late_rank() ? number(late.blamed_share) : Json(nullptr)},
          {"came_last", report.has_late_rank() ? Json(late.last) : Json(nullptr)},
          {"lost_share", late.counted > 0 ? number(late.lost_share) : Json(nullptr)},
          {"steps_compared", matching.steps},
          {"steps_not_on_all_ranks", matching.steps_left_out},
          {"matched_by", described ? "arguments" : "kernel names"},
          {"collectives_matched", matching.collectives.size()},
          {"collectives_ended_together", matching.together},
          {"collectives_with_waiting", late.with_waiting},
          {"collectives_of_one_rank", matching.alone},
          {"sequences_that_differ", matching.mismatches.size()},
          {"differences", mismatches_json(report)},
          {"collectives", collectives_json(report)}};
}

Json answer_json(const RanksReport& report) {
  const RunScope& scope = report.scope;
  return {{"scope", {{"name", scope.name}, {"step_ids", scope.step_numbers}}},
          {"step_count", scope.step_numbers.size()},
          {"rank", report.ranks[report.answering].rank},
          {"rule", report.has_late_rank() ? "most_waited_for" : "most_common"},
          {"waiting_left_out_share", number(report.left_out)},
          {"facts", facts_json(scope.facts)},
          {"bottlenecks", bottlenecks_json(scope)},
          {"diagnosis", diagnosis_json(scope)},
          {"framework_abstraction_tax", tax_json(scope)}};
}

}  // namespace

Json ranks_json(const RanksReport& report) {
  Json ranks = Json::array(), missing = Json::array(), opinions = Json::array();
  for (std::size_t i = 0; i < report.ranks.size(); ++i) ranks.push_back(rank_json(report, i));
  for (const auto& [first, last] : report.missing) missing.push_back({{"first", first}, {"last", last}});
  for (const report::Opinion& one : report.opinions) opinions.push_back({{"label", text_or_null(one.label)}, {"ranks", one.ranks}});
  Json json{{"schema", "ranks_analysis_v1"}, {"source", report.source}};
  json["world_size"] = or_null(report.world_size);
  json["rank_count"] = report.ranks.size();
  json["missing_ranks"] = std::move(missing);
  json["run"] = answer_json(report);
  json["distributed"] = distributed_json(report);
  json["opinions"] = std::move(opinions);
  json["ranks"] = std::move(ranks);
  json["notes"] = report.notes;
  return json;
}

}  // namespace frx::compose
