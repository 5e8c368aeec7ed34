// How the metric catalogue is read; metric_names.cc finds metrics by what others call them.
#include "knowledge/metrics.h"

#include <algorithm>
#include <functional>

#include "frx_generated/metric_ids.h"
#include "knowledge/compiled.h"
#include "knowledge/embedded.h"

namespace frx::knowledge {
namespace {

constexpr std::string_view rule_facts_file = "data/metrics/rule_facts.yaml";

std::optional<Aggregate> aggregate_called(std::string_view name) {
  if (name == "time_mean" || name.empty()) return Aggregate::time_mean;
  if (name == "mean") return Aggregate::mean;
  if (name == "sum") return Aggregate::sum;
  if (name == "max") return Aggregate::max;
  if (name == "min") return Aggregate::min;
  if (name == "same") return Aggregate::same;
  return std::nullopt;
}

// The text under `meaning`, with the state of its stall reason filled in.
Result<> read_meaning(const Value& entry, const MetricCatalogue& metrics, MetricDefinition& definition) {
  constexpr std::string_view slot = "{state}";
  definition.meaning = entry["meaning"].text();
  const Value id = entry["reason"];
  const std::size_t at = definition.meaning.find(slot);
  if (at == std::string_view::npos) return {};
  const StallReason* const reason = metrics.stall_reason(id.text());
  if (reason == nullptr) {
    return fail(ErrorKind::malformed, "expected the id of a stall reason as 'reason', found '{}'", id.text()).at(entry.where());
  }
  const auto composed = std::make_shared<const std::string>(
      fmt::format("{}{}{}", definition.meaning.substr(0, at), reason->state, definition.meaning.substr(at + slot.size())));
  definition.meaning = *composed;
  definition.composed_meaning = composed;
  return {};
}

Result<> check_details(const Value& entry) {
  for (const std::string_view name : entry["details"].texts()) {
    if (name.find(" > ") != name.npos) continue;
    return fail(ErrorKind::malformed, "metric '{}': expected 'Section > Label', found '{}'", entry["id"].text(), name).at(entry.where());
  }
  return {};
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

Result<MetricCatalogue> MetricCatalogue::load(const Library& library) {
  const CompiledData& compiled = compiled_data();
  if (!library.is_embedded() || compiled.formulas.empty()) return load_checked(library);
  MetricCatalogue catalogue;
  TRY(catalogue.find_entries(library));
  catalogue.formulas_in_order_.reserve(compiled.formulas.size());
  for (const CompiledFormula& one : compiled.formulas) {
    catalogue.formulas_in_order_.push_back({model::Metric{one.metric}, one.number, slots_of(compiled.expressions[one.expression])});
  }
  return catalogue;
}

Result<MetricCatalogue> MetricCatalogue::load_checked(const Library& library) {
  MetricCatalogue catalogue;
  TRY(catalogue.find_entries(library));
  TRY(catalogue.check());
  catalogue.order_formulas();
  return catalogue;
}

// Where each entry stands. That of embedded data was found when frx was built.
Result<> MetricCatalogue::find_entries(const Library& library) {
  files_ = library.folder("metrics");
  rule_facts_file_ = library.file(rule_facts_file);
  if (!library.is_embedded()) {
    entry_of_metric_.resize(metrics::count);
    for (const Value& root : files_) {
      TRY_ASSIGN(const Value list, root.list("metrics"));
      for (std::size_t i = 0; i < list.size(); ++i) {
        const Value entry = list.item(i);
        const std::string_view id = entry["id"].text();
        if (id.empty()) return fail(ErrorKind::malformed, "metric '': expected an id").at(entry.where());
        std::optional<model::Metric> metric = with_id(id);
        if (!metric) {
          metric = model::Metric{static_cast<std::uint16_t>(metrics::count + more_metrics_.size())};
          more_ids_.emplace(id, *metric);
          more_metrics_.push_back(id);
          entry_of_metric_.emplace_back();
        }
        entry_of_metric_[metric->index] = entry;
        entries_.push_back({*metric, entry});
      }
    }
  }
  definitions_ = MadeOnce<MetricDefinition>(metrics::count + more_metrics_.size());
  formulas_ = MadeOnce<std::vector<Expression>>(size());
  return {};
}

Value MetricCatalogue::entry_of(model::Metric metric) const {
  if (!entry_of_metric_.empty()) return entry_of_metric_[metric.index];
  const EmbeddedEntry& at = embedded_metrics()[metric.index];
  return {embedded_files()[at.file], at.node};
}

const MetricDefinition& MetricCatalogue::operator[](model::Metric metric) const {
  return definitions_.at(metric.index, [&] { return read_definition(metric, entry_of(metric)).value(); });
}

const std::vector<Expression>& MetricCatalogue::formulas_of(model::Metric metric) const {
  return formulas_.at(metric.index, [&] { return read_formulas(metric).value(); });
}

const MetricCatalogue::Stalls& MetricCatalogue::stalls() const {
  return stalls_.at(0, [&] { return read_stalls().value(); });
}

// Everything, also what nothing asks for. An entry that a later one replaces is checked, too.
Result<> MetricCatalogue::check() const {
  TRY(stalls_.try_at(0, [&] { return read_stalls(); }));
  for (const Entry& entry : entries_) {
    TRY(read_definition(entry.metric, entry.value));
    TRY(check_details(entry.value));
  }
  for (std::uint16_t i = 0; i < size(); ++i) {
    const model::Metric metric{i};
    TRY(definitions_.try_at(i, [&] { return read_definition(metric, entry_of(metric)); }));
    TRY(check_details(entry_of(metric)));
  }
  for (std::uint16_t i = 0; i < size(); ++i) TRY(formulas_.try_at(i, [&] { return read_formulas(model::Metric{i}); }));
  TRY(rule_facts_.try_at(0, [&] { return read_rule_facts(); }));
  return {};
}

Result<MetricCatalogue::Stalls> MetricCatalogue::read_stalls() const {
  Stalls stalls;
  for (const Value& root : files_) {
    TRY_ASSIGN(const Value list, root.list("reasons"));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Value entry = list.item(i);
      StallReason reason{entry["id"].text(), entry["state"].text(), entry["class"].texts()};
      if (reason.id.empty() || reason.state.empty())
        return fail(ErrorKind::malformed, "expected a stall reason with id and state").at(entry.where());
      const std::optional<model::Metric> share = with_id("warp_stall_" + std::string(reason.id));
      if (!share) return fail(ErrorKind::malformed, "no metric is called 'warp_stall_{}'", reason.id).at(entry.where());
      for (const std::string_view kind : reason.classes) {
        stalls.by_class[kind].push_back({.slot = share->index, .unit = *parse_unit("%"), .name = id_of(*share)});
      }
      stalls.reasons.push_back(std::move(reason));
    }
  }
  return stalls;
}

const StallReason* MetricCatalogue::stall_reason(std::string_view id) const {
  const std::vector<StallReason>& reasons = stalls().reasons;
  const auto at = std::ranges::find(reasons, id, &StallReason::id);
  return at == reasons.end() ? nullptr : &*at;
}

Result<MetricDefinition> MetricCatalogue::read_definition(model::Metric metric, const Value& entry) const {
  MetricDefinition definition;
  definition.metric = metric;
  definition.id = id_of(metric);
  if (!entry) return definition;  // an override left it out
  const auto malformed = [&](std::string_view what) {
    return fail(ErrorKind::malformed, "metric '{}': {}", definition.id, what).at(entry.where());
  };
  definition.family = Value(*entry.document())["family"].text();
  definition.label = entry["label"].text();
  TRY(read_meaning(entry, *this, definition));
  definition.unit_text = entry["unit"].text();
  definition.source = entry;
  const std::optional<Unit> unit = parse_unit(definition.unit_text);
  if (!unit) return malformed(fmt::format("unknown unit '{}'", definition.unit_text));
  definition.unit = *unit;
  const std::optional<Aggregate> aggregate = aggregate_called(entry["aggregate"].text());
  if (!aggregate) return malformed(fmt::format("unknown aggregate '{}'", entry["aggregate"].text()));
  definition.aggregate = *aggregate;
  definition.max = entry["max"].number();
  definition.attribute_scale = entry["scale"].number().value_or(1.0);
  definition.collect = entry["collect"].boolean().value_or(true);
  definition.ncu = entry["ncu"].texts();
  return definition;
}

Result<std::vector<Expression>> MetricCatalogue::read_formulas(model::Metric metric) const {
  std::vector<Expression> formulas;
  TRY_ASSIGN(const Value texts, entry_of(metric).list("formulas"));
  if (texts.size() == 0) return formulas;
  const MetricDefinition& definition = (*this)[metric];
  const Scope scope = [this](std::string_view name) { return operand_called(name); };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    TRY_ASSIGN(Expression formula, Expression::read(texts.item(i), scope));
    if (formula.is_truth() || !(formula.dimension() == definition.unit.dimension)) {
      return fail(ErrorKind::malformed, "formula of '{}' has the unit '{}', the metric '{}'", definition.id, to_string(formula.dimension()),
                  definition.unit_text)
          .at(texts.item(i).where());
    }
    formulas.push_back(std::move(formula));
  }
  return formulas;
}

// Depth first. Of metrics that are computed from each other, the one that is reached first comes last.
void MetricCatalogue::order_formulas() {
  std::vector<bool> is_visited(size(), false);
  const std::function<void(model::Metric)> visit = [&](model::Metric metric) {
    if (is_visited[metric.index]) return;
    is_visited[metric.index] = true;
    const std::vector<Expression>& formulas = formulas_of(metric);
    for (std::uint32_t i = 0; i < formulas.size(); ++i) {
      for (const std::uint32_t slot : formulas[i].slots()) visit(model::Metric{static_cast<std::uint16_t>(slot)});
      formulas_in_order_.push_back({metric, i, formulas[i].slots()});
    }
  };
  for (std::uint16_t i = 0; i < size(); ++i) visit(model::Metric{i});
}

Result<MetricCatalogue::RuleFacts> MetricCatalogue::read_rule_facts() const {
  RuleFacts read;
  TRY_ASSIGN(const Value list, rule_facts_file_.list("facts"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value fact = list.item(i);
    const std::optional<model::Metric> metric = with_id(fact["metric"].text());
    if (!metric) return fail(ErrorKind::malformed, "no metric '{}'", fact["metric"].text()).at(fact.where());
    const std::string_view after = fact["after"].text();
    if (read.words.empty() || read.words.back().words != after) {
      read.words.push_back({after, std::boyer_moore_horspool_searcher(after.data(), after.data() + after.size())});
    }
    read.facts.push_back({*metric, fact["contains"].text(), fact["before"].text(), read.words.size() - 1});
  }
  return read;
}

}  // namespace frx::knowledge
