#include "compose/metric_table.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "compose/ncu_words.h"

namespace frx::compose {
namespace {

using report::Finding;
using report::NcuReport;

enum class Bad { high, low };
// What speaks for a value past its threshold.
enum class Context {
  none,      // the threshold alone decides
  by_label,  // only a finding makes it matter
  by_roof,   // it does not matter while another unit is at its limit
};

struct Rule {
  std::string_view id, fallback;
  std::string_view name;
  std::string_view unit;
  Bad bad;
  double warn, critical;
  Context context;
  std::array<std::string_view, 3> labels;
  std::string_view excuse;  // why it is normal when no finding says otherwise
};

// Thresholds as documented.
constexpr Rule rules[] = {
    {"dram_throughput_pct", "dram_pct", "DRAM Throughput", "%", Bad::high, 60, 80, Context::none,
     {"memory_bandwidth_bound", "at_hardware_limit"}, ""},
    {"bandwidth_pct", "", "Bandwidth (DRAM or L2)", "%", Bad::high, 60, 80, Context::none,
     {"memory_bandwidth_bound"}, ""},
    {"sm_throughput_pct", "compute_pct", "SM Throughput", "%", Bad::high, 60, 80, Context::none, {"compute_bound"}, ""},
    {"tensor_core_utilization_pct", "tensor_pct", "Tensor Core Utilization", "%", Bad::low, 20, 10, Context::by_label,
     {"tensor_core_underutilized"}, "normal for this kind of kernel"},
    {"l1_cache_hit_rate_pct", "", "L1 Hit Rate", "%", Bad::low, 60, 40, Context::by_label,
     {"l1_cache_thrashing"}, "no sign that reuse is lost"},
    {"l2_cache_hit_rate_pct", "", "L2 Hit Rate", "%", Bad::low, 65, 50, Context::by_label,
     {"l2_cache_thrashing"}, "no sign that reuse is lost"},
    {"global_load_sectors_per_request", "", "Load Sectors/Request", "", Bad::high, 4, 8, Context::by_label,
     {"uncoalesced_access"}, "no waste seen: wide loads need 8 to 16"},
    {"issue_slot_utilization_pct", "", "Issue Slot Utilization", "%", Bad::low, 55, 40, Context::by_roof,
     {"low_issue_efficiency"}, ""},
    {"achieved_occupancy_pct", "", "Occupancy", "%", Bad::low, 50, 30, Context::by_roof,
     {"occupancy_limited_by_registers", "occupancy_limited_by_shared_memory", "occupancy_limited"}, ""},
    {"eligible_warps_per_scheduler", "", "Eligible Warps/Scheduler", "", Bad::low, 1.0, 0.5, Context::by_roof,
     {"low_warp_scheduler_utilization"}, ""},
    {"scheduler_active_pct", "", "Scheduler Active", "%", Bad::low, 50, 35, Context::by_roof,
     {"low_warp_scheduler_utilization"}, ""},
};
// Two rows are ours and shown when they tell something; the others are documented and show n/a.
bool worth_showing(const NcuReport& report, const Rule& rule, const report::Value* value) {
  if (rule.id == "sm_throughput_pct") return value;
  if (rule.id != "bandwidth_pct") return true;
  constexpr double clearly_more = 10;  // L2, not DRAM, is the busy one
  const report::Value* dram = report.value("dram_pct");
  return value && dram && value->value() > dram->value() + clearly_more;
}

constexpr Rule stall_rule{"dominant_stall", "", "Dominant Warp Stall", "%", Bad::high, 20, 30, Context::by_roof,
                          {"warp_stall_memory", "warp_stall_sync"}, ""};

const Finding* finding_behind(const NcuReport& report, const Rule& rule) {
  const Finding* best = nullptr;
  for (const std::string_view label : rule.labels) {
    const Finding* finding = label.empty() ? nullptr : finding_of(report.findings, label);
    if (finding && (!best || best->score < finding->score)) best = finding;
  }
  return best;
}

bool cannot_tell(const NcuReport& report, std::string_view label) {
  return std::any_of(report.unknown.begin(), report.unknown.end(),
                     [&](const report::Unknown& u) { return u.label == label; });
}

// A unit at its limit sets the pace for most of the run.
bool at_a_roof(const NcuReport& report) {
  constexpr std::string_view roofs[] = {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound"};
  return std::any_of(std::begin(roofs), std::end(roofs), [&](std::string_view label) {
    const Finding* finding = finding_of(report.findings, label);
    return finding && (label == report.primary || finding->time_share >= 0.5);
  });
}

Status by_threshold(const Rule& rule, double value) {
  const bool high = rule.bad == Bad::high;
  if (high ? value > rule.critical : value < rule.critical) return Status::critical;
  if (high ? value > rule.warn : value < rule.warn) return Status::warning;
  return Status::ok;
}

std::string limit_text(const Rule& rule, Status status) {
  const bool high = rule.bad == Bad::high;
  const std::string_view sign = status == Status::ok ? (high ? "<=" : ">=") : high ? ">" : "<";
  const double limit = status == Status::critical ? rule.critical : rule.warn;
  return fmt::format("{} {}{}", sign, format_number(limit), rule.unit.empty() ? "" : " %");
}

// "saturated (> 80 %)", "low (< 55 %)", "fine (>= 55 %)".
std::string plain_hint(const Rule& rule, Status status) {
  const bool roof = rule.context == Context::none;
  const std::string_view word = status == Status::ok         ? (roof ? "has room" : "fine")
                                : status == Status::critical ? (roof                    ? "saturated"
                                                                : rule.bad == Bad::high ? "very high"
                                                                                        : "very low")
                                : rule.bad == Bad::high      ? (roof ? "busy" : "high")
                                                             : "low";
  return fmt::format("{} ({})", word, limit_text(rule, status));
}

void judge(const NcuReport& report, const Rule& rule, double value, MetricRow& row) {
  row.status = by_threshold(rule, value);
  row.hint = plain_hint(rule, row.status);
  if (row.status == Status::ok || rule.context == Context::none) return;
  if (const Finding* finding = finding_behind(report, rule)) {
    if (finding->explained_by.empty()) return;
    row.status = Status::warning;
    row.hint = fmt::format("{}: consequence of {}", plain_hint(rule, by_threshold(rule, value)), finding->explained_by);
    return;
  }
  if (rule.context == Context::by_label && cannot_tell(report, rule.labels[0])) {
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
  return value || rule.fallback.empty() ? value : report.value(rule.fallback);
}

MetricRow stall_row(const NcuReport& report) {
  MetricRow row{stall_rule.id, stall_rule.name, Status::missing, "unknown", "no stall reasons in the file"};
  for (const auto& [reason, value] : report.stalls) {
    if (reason != report.dominant_stall) continue;
    row.value = fmt::format("{} ({:.1f} %)", reason, value);
    judge(report, stall_rule, value, row);
    const std::string_view kind = report::stall_class(reason);
    if (!kind.empty()) row.hint = fmt::format("{} stall; {}", kind, row.hint);
  }
  return row;
}

}  // namespace

std::vector<MetricRow> metric_rows(const NcuReport& report) {
  std::vector<MetricRow> rows;
  for (const Rule& rule : rules) {
    const report::Value* value = value_of(report, rule);
    if (!worth_showing(report, rule, value)) continue;
    MetricRow row{rule.id, rule.name, Status::missing, "n/a", "not in the file"};
    if (value) {
      row.value = format_quantity(value->value(), rule.unit);
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
  for (const MetricRow& row : rows) table.add({row.status, row.name, row.value, row.hint});
  page.add(std::move(table));
}

}  // namespace frx::compose
