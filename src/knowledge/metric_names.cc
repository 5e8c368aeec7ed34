// How metrics are found by their names.
#include <algorithm>
#include <cstring>

#include "base/numbers.h"
#include "base/text.h"
#include "frx_generated/metric_ids.h"
#include "knowledge/embedded.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {
namespace {

// The metric with a name that was found when frx was built.
std::optional<model::Metric> embedded_metric(std::span<const EmbeddedName> names, std::string_view name) {
  const auto text = [](const EmbeddedName& one) { return Value(embedded_files()[one.at.file], one.at.node).text(); };
  const auto at = std::ranges::lower_bound(names, name, {}, text);
  if (at == names.end() || text(*at) != name) return std::nullopt;
  return model::Metric{static_cast<std::uint16_t>(at->metric)};
}

}  // namespace

std::string normalised(std::string_view name) {
  std::string result = to_lower(trim(name));
  for (char& c : result) {
    if (c == ' ' || c == '-' || c == '.') c = '_';
  }
  return result;
}

std::string_view MetricCatalogue::id_of(model::Metric metric) const {
  return metric.index < metrics::count ? std::string_view(metrics::ids[metric.index]) : more_metrics_[metric.index - metrics::count];
}

std::optional<model::Metric> MetricCatalogue::with_id(std::string_view id) const {
  if (id.empty()) return std::nullopt;  // it may be no text at all, which strncmp() does not take
  const std::span<const char* const> ids = metrics::ids;
  // Asked hundreds of times at each start: the known one need not be measured first.
  const auto at = std::ranges::partition_point(ids, [&](const char* known) { return std::strncmp(known, id.data(), id.size()) < 0; });
  if (at != ids.end() && *at == id) return model::Metric{static_cast<std::uint16_t>(at - ids.begin())};
  const auto found = more_ids_.find(id);
  return found == more_ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Operand> MetricCatalogue::operand_called(std::string_view name) const {
  constexpr std::string_view of_stalls = "stalls.";
  if (const auto metric = with_id(name)) return Operand{metric->index, (*this)[*metric].unit, false};
  if (!name.starts_with(of_stalls)) return std::nullopt;
  const auto& by_class = stalls().by_class;
  const auto kind = by_class.find(name.substr(of_stalls.size()));
  return kind == by_class.end() ? std::nullopt : std::optional(Operand{.each = kind->second});
}

MetricCatalogue::Names MetricCatalogue::read_names() const {
  Names names;
  for (Index* index : {&names.ncu, &names.nvprof, &names.details}) index->reserve(size());
  for (const auto& [metric, entry] : entries_) {
    for (const std::string_view name : entry["ncu"].texts()) names.ncu.insert_or_assign(name, metric);
    for (const std::string_view name : entry["nvprof"].texts()) names.nvprof.insert_or_assign(name, metric);
    for (const std::string_view name : entry["details"].texts()) names.details.insert_or_assign(name, metric);
  }
  return names;
}

std::optional<model::Metric> MetricCatalogue::named_by(NamedBy tool, std::string_view name) const {
  if (entries_.empty()) {
    const EmbeddedNames embedded = embedded_names();
    return embedded_metric(tool == NamedBy::ncu ? embedded.ncu : tool == NamedBy::nvprof ? embedded.nvprof : embedded.details, name);
  }
  const Names& names = names_.at(0, [&] { return read_names(); });
  const Index& index = tool == NamedBy::ncu ? names.ncu : tool == NamedBy::nvprof ? names.nvprof : names.details;
  const auto found = index.find(name);
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

MetricCatalogue::Aliases MetricCatalogue::read_aliases() const {
  Aliases aliases;
  aliases.plain.reserve(2 * size());
  for (std::uint16_t i = 0; i < size(); ++i) {
    const model::Metric metric{i};
    const Value entry = entry_of(metric);
    for (const std::string_view name : entry["details"].texts()) aliases.labels.emplace(name.substr(name.find(" > ") + 3), metric);
    for (const std::string_view name : entry["plain"].texts()) aliases.plain.insert_or_assign(normalised(name), metric);
    aliases.plain.insert_or_assign(normalised(id_of(metric)), metric);
  }
  return aliases;
}

std::optional<model::Metric> MetricCatalogue::called(std::string_view section, std::string_view name,
                                                     const std::optional<Unit>& unit) const {
  const auto fits = [&](model::Metric metric) { return !unit || unit->dimension == (*this)[metric].unit.dimension; };
  if (const auto metric = named_by(NamedBy::ncu, name)) return metric;
  if (!section.empty()) {
    const auto metric = named_by(NamedBy::details, std::string(section) + " > " + std::string(name));
    if (metric && fits(*metric)) return metric;
  }
  std::optional<model::Metric> only;
  const Aliases& aliases = aliases_.at(0, [&] { return read_aliases(); });
  const auto [begin, end] = aliases.labels.equal_range(name);
  for (auto it = begin; it != end; ++it) {
    if (!fits(it->second)) continue;
    if (only && *only != it->second) return std::nullopt;  // two meanings: the section would decide
    only = it->second;
  }
  if (only) return only;
  const auto found = aliases.plain.find(normalised(name));
  return found != aliases.plain.end() && fits(found->second) ? std::optional(found->second) : std::nullopt;
}

std::optional<model::Metric> MetricCatalogue::called_by_nvprof(std::string_view name) const { return named_by(NamedBy::nvprof, name); }

std::vector<MetricCatalogue::Quoted> MetricCatalogue::quoted_in(std::string_view rule_text) const {
  const RuleFacts& known = rule_facts_.at(0, [&] { return read_rule_facts().value(); });
  std::vector<Quoted> quoted;
  const char* const end = rule_text.data() + rule_text.size();
  std::size_t searched = known.words.size();
  std::pair<const char*, const char*> found{end, end};
  for (const RuleFact& fact : known.facts) {
    const RuleWords& before = known.words[fact.after];
    if (std::exchange(searched, fact.after) != fact.after) found = before.search(rule_text.data(), end);
    const bool has_words = found.first != end || before.words.empty();
    if (!has_words || rule_text.find(fact.contains) == rule_text.npos) continue;
    const std::string_view rest(found.second, static_cast<std::size_t>(end - found.second));
    const std::optional<double> value = parse_number(rest.substr(0, rest.find(fact.before)), NumberStyle::point);
    if (value) quoted.push_back({fact.metric, *value});
  }
  return quoted;
}

std::string_view MetricCatalogue::nearest_id(std::string_view id) const {
  std::vector<std::string_view> candidates;
  for (std::uint16_t i = 0; i < size(); ++i) candidates.push_back(id_of(model::Metric{i}));
  return nearest(id, candidates);
}

}  // namespace frx::knowledge
