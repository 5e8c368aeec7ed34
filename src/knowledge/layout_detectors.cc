#include "knowledge/layout_detectors.h"

#include <algorithm>
#include <array>

namespace frx::knowledge {
namespace {

constexpr std::array<std::string_view, 3> tiers = {"LOW", "MED", "HIGH"};
constexpr std::array<std::string_view, 5> evidence_names = {"kernels", "operators", "shapes", "strides", "stacks"};

template <typename List>
Result<std::string_view> one_of(const Value& value, const List& known, std::string_view what) {
  if (std::ranges::find(known, value.text()) != known.end()) return value.text();
  return fail(ErrorKind::malformed, "'{}' is no {}", value.text(), what).at(value.where());
}

Result<double> number_in(const Value& map, std::string_view key) {
  const std::optional<double> number = map[key].number();
  if (!number) return fail(ErrorKind::malformed, "expected a number for '{}'", key).at(map.where());
  return *number;
}

Result<LayoutRanking> read_ranking(const Value& root) {
  LayoutRanking ranking;
  TRY_ASSIGN(ranking.high_pct, number_in(root["severity"], "high_pct"));
  TRY_ASSIGN(ranking.medium_pct, number_in(root["severity"], "medium_pct"));
  for (const std::string_view tier : tiers) {
    TRY_ASSIGN(ranking.risk[tier], number_in(root["risk"], tier));
  }
  const Value quick = root["quick_win"];
  TRY_ASSIGN(ranking.most_effort, number_in(quick, "most_effort"));
  TRY_ASSIGN(ranking.least_saving_pct, number_in(quick, "least_saving_pct"));
  TRY_ASSIGN(ranking.least_confidence, number_in(quick, "least_confidence"));
  TRY_ASSIGN(ranking.quick_win_risk, one_of(quick["risk"], tiers, "tier of risk"));
  TRY_ASSIGN(ranking.least_coverage_pct, number_in(root, "least_coverage_pct"));
  TRY_ASSIGN(ranking.idle_pct, number_in(root, "idle_pct"));
  return ranking;
}

}  // namespace

const LayoutPattern* LayoutDetector::pattern(std::string_view called) const {
  const auto at = std::ranges::find(patterns, called, &LayoutPattern::id);
  return at == patterns.end() ? nullptr : &*at;
}

Result<LayoutKnowledge> LayoutKnowledge::load(const Library& library) {
  LayoutKnowledge loaded;
  TRY_ASSIGN(const Value facts, library.file("data/facts/layout.yaml").list("facts"));
  for (std::size_t i = 0; i < facts.size(); ++i) {
    TRY_ASSIGN(FactDefinition fact, read_fact(facts.item(i)));
    loaded.facts_.push_back(fact);
  }
  for (const Value& root : library.folder("layout/detectors")) TRY(loaded.add(root));
  std::ranges::stable_sort(loaded.detectors_, {}, &LayoutDetector::order);
  TRY_ASSIGN(loaded.ranking_, read_ranking(library.file("data/layout/ranking.yaml")));
  return loaded;
}

Result<> LayoutKnowledge::add(const Value& root) {
  LayoutDetector detector;
  detector.id = root["id"].text();
  detector.title = root["title"].text();
  detector.says = root["says"].text();
  detector.order = root["order"].number().value_or(0);
  detector.cases = root["cases"];
  if (detector.id.empty() || detector.title.empty())
    return fail(ErrorKind::malformed, "expected a detector with id and title").at(root.where());
  TRY_ASSIGN(detector.needs, one_of(root["needs"], evidence_names, "level of evidence"));
  const Value without = root["without"];
  for (std::size_t i = 0; i < without.size(); ++i) detector.without.emplace_back(without.key(i), without.value(i).text());
  const Value limits = root["limits"];
  for (std::size_t i = 0; i < limits.size(); ++i) {
    TRY_ASSIGN(detector.limits[limits.key(i)], number_in(limits, limits.key(i)));
  }
  TRY_ASSIGN(const Value patterns, root.list("patterns"));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    TRY_ASSIGN(LayoutPattern pattern, pattern_of(patterns.item(i)));
    detector.patterns.push_back(std::move(pattern));
  }
  detectors_.push_back(std::move(detector));
  return {};
}

Result<LayoutPattern> LayoutKnowledge::pattern_of(const Value& entry) const {
  LayoutPattern pattern;
  pattern.id = entry["id"].text();
  pattern.title = entry["title"].text();
  pattern.phrase = entry["phrase"].text();
  pattern.fix = entry["fix"].text();
  pattern.code = entry["code"].text();
  pattern.kind = entry["kind"].text();
  if (pattern.id.empty() || pattern.title.empty() || pattern.phrase.empty() || pattern.fix.empty() || pattern.kind.empty())
    return fail(ErrorKind::malformed, "expected a pattern with id, title, phrase, fix and kind").at(entry.where());
  TRY_ASSIGN(pattern.risk, one_of(entry["risk"], tiers, "tier of risk"));
  TRY_ASSIGN(const double effort, number_in(entry, "effort"));
  pattern.effort = static_cast<int>(effort);
  const auto operand = [this](std::string_view name) -> std::optional<Operand> {
    const auto at = std::ranges::find(facts_, name, &FactDefinition::id);
    if (at == facts_.end()) return std::nullopt;
    return Operand{static_cast<std::uint32_t>(at - facts_.begin()), at->unit, at->type == FactDefinition::truth};
  };
  TRY_ASSIGN(pattern.when, Expression::parse(entry["when"].text(), operand, entry["when"].where()));
  if (entry["severe"]) {
    TRY_ASSIGN(pattern.severe, Expression::parse(entry["severe"].text(), operand, entry["severe"].where()));
    if (!pattern.severe.is_truth()) return fail(ErrorKind::malformed, "expected a condition as 'severe'").at(entry["severe"].where());
  }
  if (!pattern.when.is_truth()) return fail(ErrorKind::malformed, "expected a condition as 'when'").at(entry["when"].where());
  return pattern;
}

const LayoutDetector* LayoutKnowledge::detector(std::string_view id) const {
  const auto at = std::ranges::find(detectors_, id, &LayoutDetector::id);
  return at == detectors_.end() ? nullptr : &*at;
}

std::optional<bool> LayoutKnowledge::holds(const Expression& condition, const LayoutFacts& facts) const {
  if (condition.empty()) return false;
  return condition.truth([&](std::uint32_t slot) { return facts(facts_[slot].id); });
}

}  // namespace frx::knowledge
