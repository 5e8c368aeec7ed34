#include "compose/metric_table.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/ncu_words.h"

namespace frx::compose {
namespace {

using model::Finding;
using report::NcuReport;

using report::MetricTables;
using Rule = MetricTables::Measured;
using Context = MetricTables::Context;

// Some rows are shown only where they tell something; the documented ones show n/a.
bool worth_showing(const NcuReport& report, const Rule& rule, const report::Value* value) {
  if (rule.shown == MetricTables::Shown::always) return true;
  if (rule.shown == MetricTables::Shown::where_measured) return value;
  constexpr double clearly_more = 10;  // L2, not DRAM, is the busy one
  const report::Value* dram = report.value("dram_pct");
  return value && dram && value->value() > dram->value() + clearly_more;
}

const Finding* finding_behind(const NcuReport& report, const Rule& rule) {
  const Finding* best = nullptr;
  for (const std::string_view label : rule.labels) {
    const Finding* finding = find_finding(report.findings, label);
    if (finding && (!best || best->score < finding->score)) best = finding;
  }
  return best;
}

bool cannot_tell(const NcuReport& report, std::string_view label) {
  const Finding* const finding = find_finding(report.others, label);
  return finding && finding->verdict == model::Verdict::cannot_tell;
}

// A unit at its limit sets the pace for most of the run.
bool at_a_roof(const NcuReport& report) {
  constexpr std::string_view roofs[] = {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "l1_throughput_bound"};
  return std::any_of(std::begin(roofs), std::end(roofs), [&](std::string_view label) {
    const Finding* finding = find_finding(report.findings, label);
    return finding && (label == report.primary || finding->time_share >= 0.5);
  });
}

Status by_threshold(const Rule& rule, double value) {
  const bool high = rule.high_is_bad;
  if (high ? value > rule.critical : value < rule.critical) return Status::critical;
  if (high ? value > rule.warning : value < rule.warning) return Status::warning;
  return Status::ok;
}

std::string limit_text(const Rule& rule, Status status) {
  const bool high = rule.high_is_bad;
  const std::string_view sign = status == Status::ok ? (high ? "<=" : ">=") : high ? ">" : "<";
  const double limit = status == Status::critical ? rule.critical : rule.warning;
  return fmt::format("{} {}{}", sign, format_number(limit), rule.unit.empty() ? "" : " %");
}

// "saturated (> 80 %)", "low (< 55 %)", "fine (>= 55 %)".
std::string plain_hint(const Rule& rule, Status status) {
  const bool roof = rule.context == Context::none;
  const std::string_view word = status == Status::ok         ? (roof ? "not saturated" : "fine")
                                : status == Status::critical ? (roof               ? "saturated"
                                                                : rule.high_is_bad ? "very high"
                                                                                   : "very low")
                                : rule.high_is_bad           ? (roof ? "busy" : "high")
                                                             : "low";
  return fmt::format("{} ({})", word, limit_text(rule, status));
}

void judge(const NcuReport& report, const Rule& rule, double value, MetricRow& row) {
  row.status = by_threshold(rule, value);
  row.hint = plain_hint(rule, row.status);
  if (row.status == Status::ok || rule.context == Context::none) return;
  if (const Finding* finding = finding_behind(report, rule)) {
    if (finding->consequence_of.empty()) return;
    row.status = Status::warning;
    row.hint = fmt::format("{}: consequence of {}", plain_hint(rule, by_threshold(rule, value)), finding->consequence_of);
    return;
  }
  if (rule.context == Context::by_label && cannot_tell(report, rule.labels.empty() ? std::string_view() : rule.labels[0])) {
    row.status = Status::warning;
    row.hint += "; the file cannot tell if it matters";
  } else if (rule.context == Context::by_label) {
    row.excused = true;
    row.hint = rule.excuse;
  } else if (at_a_roof(report)) {
    row.excused = true;
    row.hint = fmt::format("not the limit here: {} is", report.primary);
  }
  if (row.excused) row.status = Status::ok;
}

const report::Value* value_of(const NcuReport& report, const Rule& rule) {
  const report::Value* value = report.value(rule.id);
  return value || rule.otherwise.empty() ? value : report.value(rule.otherwise);
}

MetricRow stall_row(const NcuReport& report) {
  const Rule& stall_rule = report.tables->largest_stall;
  MetricRow row{"dominant_stall", stall_rule.name, Status::missing, "unknown", "no stall reasons in the file"};
  for (const auto& [reason, value, kind] : report.stalls) {
    if (reason != report.dominant_stall) continue;
    row.value = fmt::format("{} ({:.1f} %)", reason, value);
    judge(report, stall_rule, value, row);
    if (!kind.empty()) row.hint = fmt::format("{} stall; {}", kind, row.hint);
  }
  return row;
}

}  // namespace

std::vector<MetricRow> metric_rows(const NcuReport& report) {
  std::vector<MetricRow> rows;
  for (const Rule& rule : report.tables->measured) {
    const report::Value* value = value_of(report, rule);
    if (!worth_showing(report, rule, value)) continue;
    MetricRow row{rule.id, rule.name, Status::missing, "n/a", "not in the file"};
    if (value) {
      row.value = format_quantity(value->value(), rule.unit);
      row.source = source_text(*value, report.file());
      judge(report, rule, value->value(), row);
    }
    rows.push_back(std::move(row));
  }
  rows.push_back(stall_row(report));
  return rows;
}

void add_metric_table(Document& page, const std::vector<MetricRow>& rows) {
  Table table{{{"", 4}, {"metric", 25, false, 1}, number_column("value", 9), {"what it means"}}};
  table.headings = Table::Headings::implied;
  for (const MetricRow& row : rows) {
    answer::Cell value(row.value);
    value.source = row.source;
    table.add({row.status, row.name, std::move(value), row.hint});
  }
  page.add(std::move(table));
}

}  // namespace frx::compose
