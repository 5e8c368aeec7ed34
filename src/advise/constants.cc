#include "advise/constants.h"

#include <cmath>

namespace frx::advise {
namespace {

Failure missing(const Value& parent, std::string_view key, std::string_view kind) {
  const Value value = parent[key];
  return fail(ErrorKind::malformed, "expected {} for '{}'{}", kind, key, value ? fmt::format(", found '{}'", value.text()) : "")
      .at(value ? value.where() : parent.where());
}

Result<double> item_number(const Value& row, std::size_t i) {
  const std::optional<double> number = row.is_list() && i < row.size() ? row.item(i).number() : std::nullopt;
  if (!number) return fail(ErrorKind::malformed, "expected a number at place {} of the row", i + 1).at(row.where());
  return *number;
}

template <typename Count>
Result<Count> read_count(const Value& parent, std::string_view key, Count most) {
  TRY_ASSIGN(const double number, read_number(parent, key));
  if (number < 0 || number > static_cast<double>(most) || number != std::floor(number)) {
    return missing(parent, key, fmt::format("a whole number from 0 to {}", most));
  }
  return static_cast<Count>(number);
}

// [[limit, value], ...]
Result<std::vector<Row<double>>> number_rows(const Value& parent, std::string_view key) {
  const Value list = parent[key];
  if (!list.is_list()) return missing(parent, key, "a list of rows");
  std::vector<Row<double>> rows;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Row<double> row;
    TRY_ASSIGN(row.limit, item_number(list.item(i), 0));
    TRY_ASSIGN(row.value, item_number(list.item(i), 1));
    rows.push_back(row);
  }
  return rows;
}

// [[limit, text], ...]
Result<std::vector<Row<std::string_view>>> text_rows(const Value& parent, std::string_view key) {
  const Value list = parent[key];
  if (!list.is_list()) return missing(parent, key, "a list of rows");
  std::vector<Row<std::string_view>> rows;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Row<std::string_view> row;
    TRY_ASSIGN(row.limit, item_number(list.item(i), 0));
    if (list.item(i).size() < 2) return missing(parent, key, "rows of a limit and a text");
    row.value = list.item(i).item(1).text();
    rows.push_back(row);
  }
  return rows;
}

Result<Weights> weights(const Value& parent, std::string_view key) {
  const Value map = parent[key];
  if (!map.is_map()) return missing(parent, key, "a map of numbers");
  Weights result;
  for (std::size_t i = 0; i < map.size(); ++i) {
    TRY_ASSIGN(result[map.key(i)], read_number(map, map.key(i)));
  }
  return result;
}

Result<Words> words(const Value& parent, std::string_view key) {
  const Value map = parent[key];
  if (!map.is_map()) return missing(parent, key, "a map of texts");
  Words result;
  for (std::size_t i = 0; i < map.size(); ++i) result[map.key(i)] = map.value(i).text();
  return result;
}

Result<> read_components(const Value& root, Constants& into) {
  const Value ranges = root["default_speedup_pct"];
  if (!ranges.is_map()) return missing(root, "default_speedup_pct", "a map of ranges");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    auto& range = into.default_speedup_pct[ranges.key(i)];
    TRY_ASSIGN(range.first, item_number(ranges.value(i), 0));
    TRY_ASSIGN(range.second, item_number(ranges.value(i), 1));
  }
  TRY_ASSIGN(into.speedup_steps, number_rows(root, "speedup_steps"));
  TRY_ASSIGN(into.speedup_above, read_number(root, "speedup_above"));
  TRY_ASSIGN(into.exposure_by_gpus, number_rows(root, "exposure_by_gpus"));
  TRY_ASSIGN(into.cost_speedup, read_number(root["cost"], "speedup"));
  TRY_ASSIGN(into.cost_exposure, read_number(root["cost"], "exposure"));
  TRY_ASSIGN(into.ease, weights(root, "ease"));
  TRY_ASSIGN(into.ease_unknown, read_number(root, "ease_unknown"));
  TRY_ASSIGN(into.safety, weights(root, "safety"));
  TRY_ASSIGN(into.safety_by_risk, weights(root, "safety_by_risk"));
  TRY_ASSIGN(into.risk_by_safety, words(root, "risk_by_safety"));
  return {};
}

Result<> read_tiers(const Value& root, Constants& into) {
  const Value tiers = root["tiers"];
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    const Value tier = tiers.value(i);
    if (tiers.key(i) == "otherwise") {
      into.last_tier = tier.text();
      continue;
    }
    Tier next{tiers.key(i), 0, tier["ease"].number().value_or(0), tier["safety"].number().value_or(0)};
    TRY_ASSIGN(next.score, read_number(tier, "score"));
    into.tiers.push_back(next);
  }
  if (into.last_tier.empty()) return missing(root, "tiers", "a tier 'otherwise'");
  return {};
}

Result<> read_score(const Value& root, Constants& into) {
  const Value weight = root["weights"];
  TRY_ASSIGN(into.weight_speedup, read_number(weight, "speedup"));
  TRY_ASSIGN(into.weight_confidence, read_number(weight, "confidence"));
  TRY_ASSIGN(into.weight_cost, read_number(weight, "cost_savings"));
  TRY_ASSIGN(into.weight_ease, read_number(weight, "ease"));
  TRY_ASSIGN(into.weight_safety, read_number(weight, "safety"));
  TRY_ASSIGN(into.boost_cap, read_number(root, "boost_cap"));
  TRY_ASSIGN(into.score_digits, read_count<int>(root, "score_digits", 15));
  const Value low = root["guardrails"]["low_confidence_demoted"];
  TRY_ASSIGN(into.low_confidence.confidence_below, read_number(low, "confidence_below"));
  TRY_ASSIGN(into.low_confidence.factor, read_number(low, "factor"));
  const Value risk = root["guardrails"]["risk_demoted"];
  TRY_ASSIGN(into.risk.safety_below, read_number(risk, "safety_below"));
  TRY_ASSIGN(into.risk.speedup_below, read_number(risk, "speedup_below"));
  TRY_ASSIGN(into.risk.factor, read_number(risk, "factor"));
  TRY_ASSIGN(into.unverified_factor, read_number(root["guardrails"]["unverified_demoted"], "factor"));
  TRY_ASSIGN(into.dependency_gap, read_number(root["guardrails"]["dependency_ordered"], "gap"));
  TRY_ASSIGN(into.priority, text_rows(root, "priority"));
  return read_tiers(root, into);
}

Result<> read_relations(const Value& root, Constants& into) {
  TRY_ASSIGN(const Value equivalents, root.list("equivalents"));
  for (std::size_t i = 0; i < equivalents.size(); ++i) {
    Equivalent pair;
    TRY_ASSIGN(pair.keep, read_text(equivalents.item(i), "keep"));
    TRY_ASSIGN(pair.drop, read_text(equivalents.item(i), "drop"));
    into.equivalents.push_back(pair);
  }
  TRY_ASSIGN(const Value dependencies, root.list("dependencies"));
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    Dependency pair;
    TRY_ASSIGN(pair.dependent, read_text(dependencies.item(i), "dependent"));
    TRY_ASSIGN(pair.after, read_text(dependencies.item(i), "after"));
    into.dependencies.push_back(pair);
  }
  return {};
}

Result<> read_words(const Value& root, Constants& into) {
  TRY_ASSIGN(into.bundle_min, read_count<std::size_t>(root, "bundle_min", 1000));
  TRY_ASSIGN(into.bundle_labels, words(root, "bundle_labels"));
  const Value why = root["why_ranked"];
  for (const std::string_view component : {"speedup", "confidence", "ease", "safety", "cost_savings"}) {
    TRY_ASSIGN(into.why_ranked[component], text_rows(why, component));
  }
  TRY_ASSIGN(into.why_generic, read_text(why, "generic"));
  TRY_ASSIGN(into.why_guardrail, words(why, "guardrails"));
  return {};
}

}  // namespace

Result<double> read_number(const Value& parent, std::string_view key) {
  const std::optional<double> number = parent[key].number();
  if (!number) return missing(parent, key, "a number");
  return *number;
}

Result<std::string_view> read_text(const Value& parent, std::string_view key) {
  const std::string_view text = parent[key].text();
  if (text.empty()) return missing(parent, key, "a text");
  return text;
}

Result<Constants> read_constants(const Value& root) {
  Constants constants;
  TRY(read_components(root, constants));
  TRY(read_score(root, constants));
  TRY(read_relations(root, constants));
  TRY(read_words(root, constants));
  return constants;
}

}  // namespace frx::advise
