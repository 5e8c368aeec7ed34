#include "knowledge/metrics.h"

#include <algorithm>
#include <functional>

#include "base/numbers.h"
#include "base/text.h"
#include "frx_generated/metric_ids.h"

namespace frx::knowledge {
namespace {

std::optional<Aggregate> aggregate_called(std::string_view name) {
  if (name == "time_mean" || name.empty()) return Aggregate::time_mean;
  if (name == "mean") return Aggregate::mean;
  if (name == "sum") return Aggregate::sum;
  if (name == "max") return Aggregate::max;
  if (name == "min") return Aggregate::min;
  if (name == "same") return Aggregate::same;
  return std::nullopt;
}

}  // namespace

std::string_view counter_of(const MetricDefinition& metric) {
  return metric.collect && !metric.ncu.empty() ? metric.ncu.front() : std::string_view();
}

model::NamedReading MetricCatalogue::named(model::Metric metric, const model::Reading& reading) const {
  const MetricDefinition& definition = (*this)[metric];
  return {definition.id, definition.label, definition.unit_text, counter_of(definition), definition.meaning, reading};
}

double scale_of_base_unit(const Dimension& dimension) { return dimension.exponents[static_cast<std::size_t>(Base::time)] < 0 ? 1e-9 : 1.0; }

std::string normalised(std::string_view name) {
  std::string result = to_lower(trim(name));
  for (char& c : result) {
    if (c == ' ' || c == '-' || c == '.') c = '_';
  }
  return result;
}

Result<MetricCatalogue> MetricCatalogue::load(const Library& library) {
  MetricCatalogue catalogue;
  catalogue.definitions_.resize(metrics::count);
  for (Index* index : {&catalogue.ids_, &catalogue.ncu_, &catalogue.nvprof_, &catalogue.details_}) index->reserve(metrics::count);
  for (std::uint16_t i = 0; i < metrics::count; ++i) {
    catalogue.definitions_[i].metric = model::Metric{i};
    catalogue.definitions_[i].id = metrics::ids[i];
    catalogue.ids_.emplace(metrics::ids[i], model::Metric{i});
  }
  for (const Value& root : library.folder("metrics")) TRY(catalogue.add_file(root));
  TRY(catalogue.parse_formulas());
  catalogue.order_formulas();
  TRY_ASSIGN(const Value facts, library.file("data/metrics/rule_facts.yaml").list("facts"));
  TRY(catalogue.add_rule_facts(facts));
  return catalogue;
}

Result<> MetricCatalogue::add_file(const Value& root) {
  TRY_ASSIGN(const Value reasons, root.list("reasons"));
  TRY(add_stall_reasons(reasons));
  TRY_ASSIGN(const Value list, root.list("metrics"));
  for (std::size_t i = 0; i < list.size(); ++i) TRY(add(list.item(i), root["family"].text()));
  return {};
}

Result<> MetricCatalogue::add_stall_reasons(const Value& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value entry = list.item(i);
    StallReason reason{entry["id"].text(), entry["state"].text(), entry["class"].texts()};
    if (reason.id.empty() || reason.state.empty())
      return fail(ErrorKind::malformed, "expected a stall reason with id and state").at(entry.where());
    const auto share = ids_.find("warp_stall_" + std::string(reason.id));
    if (share == ids_.end()) return fail(ErrorKind::malformed, "no metric is called 'warp_stall_{}'", reason.id).at(entry.where());
    for (const std::string_view kind : reason.classes) {
      stalls_by_class_[kind].push_back(
          {.slot = share->second.index, .unit = *parse_unit("%"), .name = definitions_[share->second.index].id});
    }
    stall_reasons_.push_back(std::move(reason));
  }
  return {};
}

const StallReason* MetricCatalogue::stall_reason(std::string_view id) const {
  const auto at = std::ranges::find(stall_reasons_, id, &StallReason::id);
  return at == stall_reasons_.end() ? nullptr : &*at;
}

Result<std::string_view> MetricCatalogue::meaning_of(const Value& entry) {
  constexpr std::string_view slot = "{state}";
  const std::string_view meaning = entry["meaning"].text();
  const std::size_t at = meaning.find(slot);
  if (at == meaning.npos) return meaning;
  const StallReason* const reason = stall_reason(entry["reason"].text());
  if (reason == nullptr) {
    return fail(ErrorKind::malformed, "expected the id of a stall reason as 'reason', found '{}'", entry["reason"].text())
        .at(entry.where());
  }
  return made_.emplace_back(fmt::format("{}{}{}", meaning.substr(0, at), reason->state, meaning.substr(at + slot.size())));
}

Result<> MetricCatalogue::add(const Value& entry, std::string_view family) {
  const std::string_view id = entry["id"].text();
  const auto malformed = [&](std::string_view what) { return fail(ErrorKind::malformed, "metric '{}': {}", id, what).at(entry.where()); };
  if (id.empty()) return malformed("expected an id");
  auto known = ids_.find(id);
  if (known == ids_.end()) {
    const model::Metric metric{static_cast<std::uint16_t>(definitions_.size())};
    known = ids_.emplace(id, metric).first;
    definitions_.emplace_back().metric = metric;
  }
  MetricDefinition& definition = definitions_[known->second.index];
  const model::Metric metric = definition.metric;
  definition = {};
  definition.metric = metric;
  definition.id = id;
  definition.family = family;
  definition.label = entry["label"].text();
  TRY_ASSIGN(definition.meaning, meaning_of(entry));
  definition.unit_text = entry["unit"].text();
  definition.source = entry;
  const auto [unit, is_new] = units_.try_emplace(definition.unit_text);
  if (is_new) {
    const std::optional<Unit> read = parse_unit(definition.unit_text);
    if (!read) return malformed(fmt::format("unknown unit '{}'", definition.unit_text));
    unit->second = *read;
  }
  definition.unit = unit->second;
  const std::optional<Aggregate> aggregate = aggregate_called(entry["aggregate"].text());
  if (!aggregate) return malformed(fmt::format("unknown aggregate '{}'", entry["aggregate"].text()));
  definition.aggregate = *aggregate;
  definition.max = entry["max"].number();
  definition.attribute_scale = entry["scale"].number().value_or(1.0);
  definition.collect = entry["collect"].boolean().value_or(true);
  definition.ncu = entry["ncu"].texts();
  for (const std::string_view name : definition.ncu) ncu_.insert_or_assign(name, metric);
  for (const std::string_view name : entry["nvprof"].texts()) nvprof_.insert_or_assign(name, metric);
  for (const std::string_view name : entry["details"].texts()) {
    details_.insert_or_assign(name, metric);
    if (name.find(" > ") == name.npos) return malformed(fmt::format("expected 'Section > Label', found '{}'", name));
  }
  return {};
}

const MetricCatalogue::Aliases& MetricCatalogue::aliases() const {
  std::call_once(aliases_->once, [this] {
    aliases_->plain.reserve(2 * definitions_.size());
    for (const MetricDefinition& definition : definitions_) {
      const model::Metric metric = definition.metric;
      for (const std::string_view name : definition.source["details"].texts()) {
        aliases_->labels.emplace(name.substr(name.find(" > ") + 3), metric);
      }
      for (const std::string_view name : definition.source["plain"].texts()) aliases_->plain.insert_or_assign(normalised(name), metric);
      aliases_->plain.insert_or_assign(normalised(definition.id), metric);
    }
  });
  return *aliases_;
}

Result<> MetricCatalogue::parse_formulas() {
  const Scope scope = [this](std::string_view name) { return operand_called(name); };
  for (MetricDefinition& definition : definitions_) {
    TRY_ASSIGN(const Value formulas, definition.source.list("formulas"));
    for (std::size_t i = 0; i < formulas.size(); ++i) {
      TRY_ASSIGN(Expression formula, Expression::parse(formulas.item(i).text(), scope, formulas.item(i).where()));
      if (formula.is_truth() || !(formula.dimension() == definition.unit.dimension)) {
        return fail(ErrorKind::malformed, "formula of '{}' has the unit '{}', the metric '{}'", definition.id,
                    to_string(formula.dimension()), definition.unit_text)
            .at(formulas.item(i).where());
      }
      definition.formulas.push_back(std::move(formula));
    }
  }
  return {};
}

// Depth first. Of metrics that are computed from each other, the one that is reached first comes last.
void MetricCatalogue::order_formulas() {
  std::vector<bool> is_visited(definitions_.size(), false);
  const std::function<void(model::Metric)> visit = [&](model::Metric metric) {
    if (is_visited[metric.index]) return;
    is_visited[metric.index] = true;
    for (const Expression& formula : definitions_[metric.index].formulas) {
      for (const std::uint32_t slot : formula.slots()) visit(model::Metric{static_cast<std::uint16_t>(slot)});
      formulas_in_order_.push_back({metric, &formula});
    }
  };
  for (const MetricDefinition& definition : definitions_) visit(definition.metric);
}

Result<> MetricCatalogue::add_rule_facts(const Value& facts) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const Value fact = facts.item(i);
    const std::optional<model::Metric> metric = with_id(fact["metric"].text());
    if (!metric) return fail(ErrorKind::malformed, "no metric '{}'", fact["metric"].text()).at(fact.where());
    const std::string_view after = fact["after"].text();
    if (rule_words_.empty() || rule_words_.back().words != after) {
      rule_words_.push_back({after, std::boyer_moore_horspool_searcher(after.data(), after.data() + after.size())});
    }
    rule_facts_.push_back({*metric, fact["contains"].text(), fact["before"].text(), rule_words_.size() - 1});
  }
  return {};
}

std::vector<MetricCatalogue::Quoted> MetricCatalogue::quoted_in(std::string_view rule_text) const {
  std::vector<Quoted> quoted;
  const char* const end = rule_text.data() + rule_text.size();
  std::size_t searched = rule_words_.size();
  std::pair<const char*, const char*> found{end, end};
  for (const RuleFact& fact : rule_facts_) {
    if (std::exchange(searched, fact.after) != fact.after) found = rule_words_[fact.after].search(rule_text.data(), end);
    const bool has_words = found.first != end || rule_words_[fact.after].words.empty();
    if (!has_words || rule_text.find(fact.contains) == rule_text.npos) continue;
    const std::string_view rest(found.second, static_cast<std::size_t>(end - found.second));
    const std::optional<double> value = parse_number(rest.substr(0, rest.find(fact.before)), NumberStyle::point);
    if (value) quoted.push_back({fact.metric, *value});
  }
  return quoted;
}

std::optional<Operand> MetricCatalogue::operand_called(std::string_view name) const {
  constexpr std::string_view of_stalls = "stalls.";
  if (const auto found = ids_.find(name); found != ids_.end()) {
    return Operand{found->second.index, definitions_[found->second.index].unit, false};
  }
  if (!name.starts_with(of_stalls)) return std::nullopt;
  const auto kind = stalls_by_class_.find(name.substr(of_stalls.size()));
  return kind == stalls_by_class_.end() ? std::nullopt : std::optional(Operand{.each = kind->second});
}

std::optional<model::Metric> MetricCatalogue::with_id(std::string_view id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<model::Metric> MetricCatalogue::called(std::string_view section, std::string_view name,
                                                     const std::optional<Unit>& unit) const {
  const auto fits = [&](model::Metric metric) { return !unit || unit->dimension == definitions_[metric.index].unit.dimension; };
  if (const auto found = ncu_.find(name); found != ncu_.end()) return found->second;
  if (!section.empty()) {
    const std::string key = std::string(section) + " > " + std::string(name);
    if (const auto found = details_.find(key); found != details_.end() && fits(found->second)) return found->second;
  }
  std::optional<model::Metric> only;
  const auto& [once, labels, plain] = aliases();
  const auto [begin, end] = labels.equal_range(name);
  for (auto it = begin; it != end; ++it) {
    if (!fits(it->second)) continue;
    if (only && *only != it->second) return std::nullopt;  // two meanings: the section would decide
    only = it->second;
  }
  if (only) return only;
  if (const auto found = plain.find(normalised(name)); found != plain.end() && fits(found->second)) return found->second;
  return std::nullopt;
}

std::optional<model::Metric> MetricCatalogue::called_by_nvprof(std::string_view name) const {
  const auto found = nvprof_.find(name);
  return found == nvprof_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view MetricCatalogue::nearest_id(std::string_view id) const {
  std::vector<std::string_view> candidates;
  for (const MetricDefinition& definition : definitions_) candidates.push_back(definition.id);
  return nearest(id, candidates);
}

}  // namespace frx::knowledge
