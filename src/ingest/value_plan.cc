#include "ingest/value_plan.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace frx::ingest {
namespace {

constexpr std::size_t max_unknown_names = 4096;
// Counters of one launch are measured in several passes; a percentage a little over its maximum is the skew between passes, more is an
// artefact of the tool.
constexpr double pass_skew = 1.05;

// Without a unit a plain count is still a count. Time, bytes and frequencies are not: ncu scales them.
bool needs_a_stated_unit(const Dimension& dimension) {
  return dimension.exponents[static_cast<std::size_t>(Base::time)] != 0 || dimension.exponents[static_cast<std::size_t>(Base::byte)] != 0;
}

bool is_count(const Dimension& dimension) {
  return !needs_a_stated_unit(dimension) && dimension.exponents[static_cast<std::size_t>(Base::percent)] == 0;
}

// The unit cell of tables that passed through pandas or a spreadsheet.
bool is_no_unit(std::string_view unit) {
  return unit.empty() || unit == "##" || unit == "(none)" || unit == "-" || equals_ignoring_case(unit, "nan") ||
         equals_ignoring_case(unit, "n/a");
}

// Device attributes are printed as the CUDA driver reports them, in bytes and never scaled; so is the
// stack size.
bool is_printed_without_unit(std::string_view name) {
  return name.starts_with("device__attribute_") || name == "launch__stack_size" || name == "Stack Size";
}

ValuePlan attribute_of_device(std::string_view name) {
  ValuePlan plan;
  if (name == "device__attribute_display_name") plan.kind = ValuePlan::Kind::device_name;
  if (name == "device__attribute_compute_capability_major") plan.kind = ValuePlan::Kind::device_cc_major;
  if (name == "device__attribute_compute_capability_minor") plan.kind = ValuePlan::Kind::device_cc_minor;
  return plan;
}

}  // namespace

bool is_absent_value(std::string_view text) {
  text = trim(text);
  if (text.starts_with("(!)")) text = trim(text.substr(3));  // ncu marks a value it could not compute
  return text.empty() || equals_ignoring_case(text, "n/a") || equals_ignoring_case(text, "nan") || equals_ignoring_case(text, "-nan") ||
         equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "-inf") || equals_ignoring_case(text, "infinity") || text == "-";
}

void NoteBook::add(std::uint64_t line, std::string text) {
  constexpr std::size_t max_entries = 64;
  const auto known = entries_.find(text);
  if (known != entries_.end()) {
    ++known->second.count;
    return;
  }
  if (entries_.size() >= max_entries) return;
  entries_.emplace(std::move(text), Entry{line, 1, entries_.size()});
}

void NoteBook::write_to(model::Session& session) const {
  std::vector<const std::pair<const std::string, Entry>*> in_order;
  for (const auto& entry : entries_) in_order.push_back(&entry);
  std::sort(in_order.begin(), in_order.end(), [](auto* a, auto* b) { return a->second.order < b->second.order; });
  for (const auto* entry : in_order) {
    const Entry& e = entry->second;
    session.notes.push_back({e.line, e.count > 1 ? fmt::format("{} ({} times)", entry->first, e.count) : entry->first});
  }
}

ValuePlan ValueReader::plan(std::string_view section, std::string_view name, std::string_view unit, bool has_unit, std::uint64_t line) {
  const ValuePlan attribute = attribute_of_device(name);
  if (attribute.kind != ValuePlan::Kind::unknown) return attribute;
  const bool stated = has_unit && !is_no_unit(trim(unit));
  const std::optional<Unit> parsed = stated ? parse_unit(unit) : std::nullopt;
  std::optional<model::Metric> metric = catalogue_.called(section, name, parsed);
  // Old versions print "warp/cycle" where newer ones print "warp"; plan_for() decides which counts agree.
  if (!metric && parsed && is_count(parsed->dimension)) metric = catalogue_.called(section, name, std::nullopt);
  return plan_for(metric, name, unit, has_unit, line);
}

ValuePlan ValueReader::plan_in_base_unit(std::string_view name) {
  ValuePlan plan = attribute_of_device(name);
  if (plan.kind != ValuePlan::Kind::unknown) return plan;
  const std::optional<model::Metric> metric = catalogue_.called({}, name, std::nullopt);
  if (!metric) return unknown(name);
  const knowledge::MetricDefinition& definition = catalogue_[*metric];
  if (definition.attribute_scale != 1.0 || is_printed_without_unit(name)) return reading(definition, definition.attribute_scale, name);
  return reading(definition, knowledge::scale_of_base_unit(definition.unit.dimension) / definition.unit.scale, name);
}

ValuePlan ValueReader::plan_for(std::optional<model::Metric> metric, std::string_view name, std::string_view unit, bool has_unit,
                                std::uint64_t line) {
  unit = trim(unit);
  if (!metric) return unknown(name, has_unit && !is_no_unit(unit) ? unit : std::string_view());
  const knowledge::MetricDefinition& definition = catalogue_[*metric];
  const bool stated = has_unit && !is_no_unit(unit);
  const auto refuse = [&](std::string reason) {
    ValuePlan plan;
    plan.kind = ValuePlan::Kind::refused;
    plan.label = definition.id;
    notes_.add(line, std::move(reason));
    return plan;
  };
  double scale = 1.0;
  if (stated) {
    const std::optional<Unit> parsed = parse_unit(unit);
    if (!parsed) {
      return refuse(fmt::format("'{}' is in '{}', a unit we do not know; not used", printable(name), printable(unit)));
    }
    // Launch sizes change their word between versions ("warp", "warp/cycle", "block"); a count is a count.
    if (!(parsed->dimension == definition.unit.dimension) && !(is_count(parsed->dimension) && is_count(definition.unit.dimension))) {
      return refuse(fmt::format("'{}' is in '{}' where {} is expected; not used", printable(name), printable(unit),
                                definition.unit_text.empty() ? "a plain number" : definition.unit_text));
    }
    scale = parsed->scale / definition.unit.scale;
  } else if (definition.attribute_scale != 1.0 || is_printed_without_unit(name)) {
    scale = definition.attribute_scale;
  } else if (needs_a_stated_unit(definition.unit.dimension)) {
    return refuse(fmt::format("'{}' has no unit; not used, because the tools scale it", printable(name)));
  }
  return reading(definition, scale, name);
}

ValuePlan ValueReader::reading(const knowledge::MetricDefinition& definition, double scale, std::string_view name) {
  ValuePlan plan;
  plan.kind = ValuePlan::Kind::reading;
  plan.label = definition.id;
  plan.scale = scale;
  plan.column = table_.column(definition.metric);
  table_.call(plan.column, name);
  if (definition.max) plan.largest = *definition.max * pass_skew;
  return plan;
}

ValuePlan ValueReader::unknown(std::string_view name, std::string_view unit) {
  // "regex:..." requested metrics, "breakdown:..." lists some, "name[0x7f10]" is one instance of a metric.
  const std::size_t colon = name.find(':');
  const bool names_others = colon != name.npos && colon + 1 < name.size() && name[colon + 1] != ' ';
  if (names_others || name.ends_with(']')) return {};
  if (session_.unknown_metrics.size() < max_unknown_names) session_.unknown_metrics.emplace(printable(name));
  if (!session_.others || session_.others->counters.size() >= model::OtherCounters::most) return {};
  ValuePlan plan;
  plan.kind = ValuePlan::Kind::other;
  plan.column = static_cast<std::uint32_t>(session_.others->counters.size());
  session_.others->counters.push_back({printable(name), printable(unit)});
  return plan;
}

void ValueReader::take(const ValuePlan& plan, std::string_view text, NumberStyle style, std::uint64_t line) {
  if (!plan.has_value()) return;
  const std::optional<double> value = parse_number(text, style);
  if (!value && plan.kind == ValuePlan::Kind::other) return;  // it may be a text
  if (!value) return not_a_number(plan, text, line);
  take_number(plan, *value, line);
}

void ValueReader::take_number(const ValuePlan& plan, double value, std::uint64_t line) {
  if (plan.kind == ValuePlan::Kind::other) {
    if (table_.has_launch()) session_.others->add(table_.kernel_index(), plan.column, value, line);
    return;
  }
  const double scaled = value * plan.scale;
  if (scaled < 0 || scaled > plan.largest) {
    notes_.add(line, fmt::format("{} of {} is impossible; not used", plan.label,
                                 scaled < 0 ? std::string("less than 0") : fmt::format("more than {:g}", plan.largest / pass_skew)));
    return;
  }
  table_.set(plan.column, scaled, line);
}

void ValueReader::not_a_number(const ValuePlan& plan, std::string_view text, std::uint64_t line) {
  text = trim(text);
  if (is_absent_value(text)) {
    table_.set_absent();
    return;
  }
  misfits_.look_at(text);
  if (first_misfit_.empty()) {
    first_misfit_ = printable(shorten(text, 40));
    first_misfit_line_ = line;
  }
  notes_.add(line, fmt::format("{} is not a number in some rows; those are not used", plan.label));
}

void ValueReader::take_quoted(std::span<const knowledge::MetricCatalogue::Quoted> numbers, std::uint64_t line) {
  if (!table_.has_launch()) return;
  for (const knowledge::MetricCatalogue::Quoted& quoted : numbers) {
    const std::uint32_t column = table_.column(quoted.metric);
    if (!table_.has(column)) table_.set(column, quoted.value, line);
  }
}

Result<> ValueReader::verdict() const {
  if (!misfits_.proves_point() && !misfits_.proves_comma()) return {};
  return fail(ErrorKind::malformed, "numbers in two conventions: '{}' does not fit the decimal sign of the other values", first_misfit_)
      .at(fmt::format("{}:{}", session_.source, first_misfit_line_))
      .hint("a wrong guess would be wrong by a factor of 1000; export again with LC_ALL=C");
}

}  // namespace frx::ingest
