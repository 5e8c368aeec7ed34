#include "compose/explain_facts.h"

#include <algorithm>
#include <set>

#include "compose/metric_table.h"
#include "compose/ncu_words.h"

namespace frx::compose {
namespace {

using report::NcuReport;

using report::MetricTables;
using Rule = MetricTables::Explained;

std::string_view word_for(const Rule& rule, double value) {
  const bool lower_is_better = rule.better == MetricTables::Better::lower;
  const bool good = lower_is_better ? value <= rule.good : value >= rule.good;
  const bool bad = lower_is_better ? value > rule.bad : value < rule.bad;
  return rule.words[good ? 0 : bad ? 2 : 1];
}

std::optional<double> value_for(const NcuReport& report, const Rule& rule) {
  if (rule.id.empty()) return report::stall_fraction(report.stalls, "memory");
  const report::Value* value = report.value(rule.id);
  if (!value && !rule.otherwise.empty()) value = report.value(rule.otherwise);
  return value ? std::optional(value->value()) : std::nullopt;
}

// The table of the report knows when a threshold does not apply.
std::string caveat_for(const std::vector<MetricRow>& rows, const Rule& rule) {
  for (const MetricRow& row : rows) {
    if (row.id == rule.id && row.excused) return row.hint;
    // The word's limit is stricter than the table's, which sees nothing wrong.
    if (row.id == rule.id && row.status == Status::ok) return std::string(rule.caveat);
  }
  return {};
}

}  // namespace

std::vector<KeyMetric> key_metrics(const NcuReport& report) {
  const std::vector<MetricRow> rows = metric_rows(report);
  std::vector<KeyMetric> metrics;
  for (const Rule& rule : report.tables->explained) {
    KeyMetric metric{rule.key, rule.label, value_for(report, rule), "n/a", "n/a", {}};
    if (metric.value) {
      metric.text = rule.id.empty() ? fmt::format("{:.2f}", *metric.value) : short_quantity(*metric.value, rule.unit);
      metric.word = word_for(rule, *metric.value);
      if (metric.word != "OK") metric.caveat = caveat_for(rows, rule);
    }
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::vector<MissingData> missing_data(const ExplainInput& input) {
  const NcuReport& report = input.report;
  std::vector<MissingData> missing;
  if (input.source.text.empty()) {
    missing.push_back(
        {"source", "the CUDA source of the kernel", fmt::format("frx explain {} --source kernel.cu", profile_argument(report)), {}});
  }
  missing.push_back(
      {"ptx", "registers, spills and memory instructions as compiled", "nvcc -ptx -o kernel.ptx kernel.cu && frx analyze kernel.ptx", {}});
  if (!report.collect_command.empty() || !report.validation.warnings.empty()) {
    MissingData metrics{"ncu_metrics", "counters that would settle what could not be told", report.collect_command, {}};
    if (metrics.how_to_collect.empty()) metrics.how_to_collect = report.next_command;
    for (const std::string& warning : report.validation.warnings) {
      if (metrics.warnings.size() < 3) metrics.warnings.push_back(warning);
    }
    missing.push_back(std::move(metrics));
  }
  return missing;
}

std::vector<std::string_view> layers_available(const ExplainInput& input) {
  std::vector<std::string_view> layers;
  if (!input.source.text.empty()) layers.push_back("source");
  layers.push_back("ncu");
  return layers;
}

const diagnose::Reconciled* reconciled_with(const ExplainInput& input, std::string_view label) {
  if (!input.together) return nullptr;
  for (const diagnose::Reconciled& one : input.together->reconciliation.diagnoses) {
    // About the kernel that it is surest of, the profile may be silent: then it does not speak of this finding.
    const bool is_seen_by_ncu = std::ranges::find(one.layers, model::Layer::ncu) != one.layers.end();
    if (is_seen_by_ncu && one.diagnosis->is_confirmed_by(model::Layer::ncu, label)) return &one;
  }
  return nullptr;
}

std::vector<const model::Finding*> source_findings(const ExplainInput& input, std::size_t limit) {
  std::vector<const model::Finding*> found;
  if (!input.code) return found;
  std::set<std::string, std::less<>> profiled;
  for (const report::Kernel& kernel : input.report.kernels) profiled.insert(report::kernel_called(kernel.name));
  for (const model::Finding& finding : input.code->findings) {
    if (found.size() < limit && profiled.contains(report::kernel_called(finding.kernel))) found.push_back(&finding);
  }
  return found;
}

}  // namespace frx::compose
