#include "knowledge/scorecard.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

constexpr std::string_view levels[] = {"low", "medium", "high"};

// A share: from 0 to 1.
Result<double> share_of(const Value& map, std::string_view key) {
  const auto number = map[key].number();
  if (number && *number >= 0 && *number <= 1) return *number;
  return fail(ErrorKind::malformed, "expected {} as a number from 0 to 1", key).at(map ? map.where() : "data/compare/scorecard.yaml");
}

Result<std::array<double, 3>> by_level(const Value& map) {
  std::array<double, 3> shares{};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    TRY_ASSIGN(shares[i], share_of(map, levels[i]));
  }
  return shares;
}

Result<ScoreDimension> dimension_of(const Value& entry) {
  ScoreDimension dimension;
  dimension.id = entry["id"].text();
  dimension.display = entry["display"].text();
  if (dimension.id.empty() || dimension.display.empty()) return fail(ErrorKind::malformed, "expected id and display").at(entry.where());
  TRY_ASSIGN(dimension.weight, share_of(entry, "weight"));
  dimension.cuda = entry["cuda"].texts();
  dimension.ptx = entry["ptx"].texts();
  return dimension;
}

Result<> read_registers(const Value& map, Scorecard& card) {
  const auto full = map["full"].number(), none = map["none"].number();
  if (!full || !none || *full >= *none) {
    return fail(ErrorKind::malformed, "expected full and none as rising numbers of registers")
        .at(map ? map.where() : "data/compare/scorecard.yaml");
  }
  card.registers_full = *full;
  card.registers_none = *none;
  TRY_ASSIGN(card.spill_penalty, share_of(map, "spill_penalty"));
  return {};
}

Result<> read_reads(const Value& map, Scorecard& card) {
  const auto ignored = map["ignored_below"].number(), halved = map["halved_at"].number();
  if (!ignored || !halved || *ignored < 1 || *halved <= *ignored) {
    return fail(ErrorKind::malformed, "expected ignored_below and halved_at as rising ratios from 1 on")
        .at(map ? map.where() : "data/compare/scorecard.yaml");
  }
  card.reads_ignored_below = *ignored;
  card.reads_halved_at = *halved;
  return {};
}

}  // namespace

double Scorecard::penalty_of(const model::Finding& finding) const {
  const auto* const level = std::ranges::find(levels, finding.confidence);
  const std::size_t confidence = level == std::end(levels) ? 0 : static_cast<std::size_t>(level - std::begin(levels));
  return severity_penalty[static_cast<std::size_t>(finding.severity)] * confidence_share[confidence];
}

bool Scorecard::is_about_correctness(std::string_view rule) const { return std::ranges::find(correctness, rule) != correctness.end(); }

const UnscoredRule* Scorecard::unscored_rule(std::string_view rule) const {
  const auto at = std::ranges::find(unscored, rule, &UnscoredRule::rule);
  return at == unscored.end() ? nullptr : &*at;
}

Result<Scorecard> Scorecard::load(const Library& library) {
  const Value root = library.file("data/compare/scorecard.yaml");
  Scorecard card;
  TRY_ASSIGN(card.tie_band, share_of(root, "tie_band"));
  TRY_ASSIGN(card.severity_penalty, by_level(root["penalty"]["severity"]));
  TRY_ASSIGN(card.confidence_share, by_level(root["penalty"]["confidence"]));
  TRY(read_registers(root["registers"], card));
  TRY(read_reads(root["reads"], card));
  TRY_ASSIGN(const Value dimensions, root.list("dimensions"));
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    TRY_ASSIGN(ScoreDimension dimension, dimension_of(dimensions.item(i)));
    card.dimensions.push_back(std::move(dimension));
  }
  TRY_ASSIGN(const Value unscored, root.list("unscored"));
  for (std::size_t i = 0; i < unscored.size(); ++i) {
    const Value entry = unscored.item(i);
    const std::string_view why = entry["why"].text();
    if (why.empty()) return fail(ErrorKind::malformed, "expected why the rules score nothing").at(entry.where());
    for (const std::string_view rule : entry["rules"].texts())
      card.unscored.push_back({rule, why, entry["remark"].boolean().value_or(false)});
  }
  card.correctness = root["correctness"].texts();
  return card;
}

}  // namespace frx::knowledge
