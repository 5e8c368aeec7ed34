#include <cmath>

#include "compose/code_findings.h"
#include "compose/implementation_comparison.h"
#include "compose/implementation_comparison_words.h"
#include "compose/json.h"

namespace frx::compose {
namespace {

using report::FindingChange;
using report::FindingChanges;
using report::Implementation;
using report::ImplementationComparison;
using report::LayerDiff;
using report::NumberRow;
using report::Side;

Json side_json(const std::optional<Side>& side) { return side ? Json(report::name_of(*side)) : Json(nullptr); }

// Counts as whole numbers.
Json count_or_number(const std::optional<double>& value) {
  constexpr double largest = 1e15;
  if (value && std::abs(*value) < largest && std::trunc(*value) == *value) return static_cast<std::int64_t>(*value);
  return number(value);
}

Json numbers_json(const NumberRow& row) {
  const std::optional<double> delta = row.first && row.second ? std::optional(*row.second - *row.first) : std::nullopt;
  return {{"a", count_or_number(row.first)},
          {"b", count_or_number(row.second)},
          {"delta", count_or_number(delta)},
          {"better", side_json(row.better())}};
}

void add_rows(const LayerDiff& diff, Json& json) {
  json["available"] = diff.is_available;
  for (const NumberRow& row : diff.numbers) json[std::string(row.key)] = numbers_json(row);
  for (const report::TruthRow& row : diff.truths) {
    const bool both = row.first && row.second;
    json[std::string(row.key)] = {{"a", or_null(row.first)},
                                  {"b", or_null(row.second)},
                                  {"resolved_in_b", both ? Json(*row.first && !*row.second) : Json(nullptr)},
                                  {"introduced_in_b", both ? Json(!*row.first && *row.second) : Json(nullptr)}};
  }
  for (const report::WordsRow& row : diff.words)
    json[std::string(row.key)] = {{"a", row.first}, {"b", row.second}, {"added_in_b", row.added()}, {"removed_in_b", row.removed()}};
  for (const report::TextRow& row : diff.texts)
    json[std::string(row.key)] = {{"a", text_or_null(row.first)}, {"b", text_or_null(row.second)}};
}

Json mix_json(const LayerDiff& diff) {
  Json json = Json::object();
  for (const NumberRow& row : diff.mix) {
    Json entry = numbers_json(row);
    entry.erase("better");
    json[std::string(row.key)] = std::move(entry);
  }
  return json;
}

Json change_json(const FindingChange& change, const knowledge::Scorecard& card) {
  const knowledge::UnscoredRule* unscored = card.unscored_rule(change.code);
  Json json{{"code", change.code},
            {"kernel", text_or_null(change.kernel)},
            {"change", report::name_of(change.change())},
            {"comparable", change.is_comparable},
            {"scored", !unscored && change.is_comparable},
            {"remark", unscored && unscored->is_remark},
            {"places_a", change.first_places},
            {"places_b", change.second_places}};
  json["a"] = change.first ? finding_json(*change.first) : Json(nullptr);
  json["b"] = change.second ? finding_json(*change.second) : Json(nullptr);
  return json;
}

Json findings_diff_json(const std::optional<FindingChanges>& changes, const knowledge::Scorecard& card) {
  if (!changes) return nullptr;
  Json json{{"resolved_in_b", changes->codes(report::Change::resolved)},
            {"new_in_b", changes->codes(report::Change::appeared)},
            {"shared", changes->codes(report::Change::persistent)},
            {"by_kernel", Json::array()}};
  for (const FindingChange& change : changes->all) json["by_kernel"].push_back(change_json(change, card));
  return json;
}

Json layers_json(const Implementation& side) {
  return {{"cuda_source", side.has_source()}, {"ptx", side.has_ptx()}, {"ncu_csv", side.has_ncu()}};
}

Json scorecard_json(const ImplementationComparison& c) {
  Json json = Json::object();
  for (const report::DimensionScore& score : c.scores.dimensions) {
    json[std::string(score.dimension->id)] = {{"score_a", number(score.first)},
                                              {"score_b", number(score.second)},
                                              {"weight", number(score.dimension->weight)},
                                              {"available", score.is_comparable()},
                                              {"winner", side_json(score.winner(c.card->tie_band))},
                                              {"layer", text_or_null(score.layer)},
                                              {"reasons", score.reasons}};
  }
  return json;
}

// The documented form and the one of the documented program, both.
Json verdict_json(const ImplementationComparison& c) {
  using Basis = report::ImplementationVerdict::Basis;
  Json dimensions = Json::object(), of_first = Json::array(), of_second = Json::array();
  for (const report::DimensionScore& score : c.scores.dimensions) {
    const std::optional<Side> winner = score.winner(c.card->tie_band);
    dimensions[std::string(score.dimension->id)] = side_json(winner);
    if (winner == Side::first) of_first.push_back(score.dimension->id);
    if (winner == Side::second) of_second.push_back(score.dimension->id);
  }
  const bool scored = c.scores.first.has_value(), timed = c.verdict.first_us.has_value();
  return {{"overall_winner", report::name_of(c.verdict.winner)},
          {"basis", c.verdict.basis == Basis::kernel_time ? Json("kernel_gpu_time")
                    : c.verdict.basis == Basis::scorecard ? Json("scorecard")
                                                          : Json(nullptr)},
          {"score_a", number(c.scores.first)},
          {"score_b", number(c.scores.second)},
          {"score_delta", scored ? number(*c.scores.second - *c.scores.first) : Json(nullptr)},
          {"kernel_time_us_a", number(c.verdict.first_us)},
          {"kernel_time_us_b", number(c.verdict.second_us)},
          {"kernel_speedup_x", timed ? number(*c.verdict.first_us / *c.verdict.second_us) : Json(nullptr)},
          {"dimensions", dimensions},
          {"dimensions_won_by_a", of_first},
          {"dimensions_won_by_b", of_second},
          {"reasons", c.verdict.reasons},
          {"sentence", verdict_sentence(c)}};
}

Json tradeoffs_json(const ImplementationComparison& c) {
  Json json = Json::array();
  for (const report::Tradeoff& one : c.tradeoffs)
    json.push_back({{"label", one.label}, {"severity", one.severity}, {"message", one.message}, {"evidence", one.evidence}});
  return json;
}

}  // namespace

Json evidence_failures_json(const ImplementationComparison& c) {
  Json json = Json::array();
  for (const report::EvidenceFailure& failure : c.failures)
    json.push_back({{"layer", failure.layer}, {"target", failure.target}, {"step", failure.step}, {"reason", failure.reason}});
  return json;
}

Json implementation_comparison_json(const ImplementationComparison& c) {
  Json json;
  json["schema"] = "comparison_v1";
  json["label_a"] = c.first.label;
  json["label_b"] = c.second.label;
  json["source_a"] = c.first.source;
  json["source_b"] = c.second.source;
  json["data_availability"] = {{"a", layers_json(c.first)}, {"b", layers_json(c.second)}};
  json["static_diff"] = Json::object();
  add_rows(c.source, json["static_diff"]);
  json["static_diff"]["findings_diff"] = findings_diff_json(c.source_changes, *c.card);
  json["ptx_diff"] = Json::object();
  add_rows(c.ptx, json["ptx_diff"]);
  json["ptx_diff"]["instruction_mix_diff"] = mix_json(c.ptx);
  json["ptx_diff"]["findings_diff"] = findings_diff_json(c.ptx_changes, *c.card);
  json["ncu_diff"] = Json::object();
  add_rows(c.ncu, json["ncu_diff"]);
  json["scorecard"] = scorecard_json(c);
  json["verdict"] = verdict_json(c);
  json["tradeoffs"] = tradeoffs_json(c);
  json["still_unknown"] = c.still_unknown;
  json["upgrade_hints"] = Json::array();
  for (const report::UpgradeHint& hint : c.hints) json["upgrade_hints"].push_back({{"flag", hint.flag}, {"gain", hint.gain}});
  json["notes"] = c.notes;
  return json;
}

}  // namespace frx::compose
