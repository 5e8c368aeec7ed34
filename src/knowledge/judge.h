// What a judge of kernels is told and held to: the counters of its prompt, and the categories of its answer. data/judge/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/expression.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {

struct JudgedMetric {
  std::string_view section;            // "" of those that stand under "Other Metrics"
  std::string_view label;              // "DRAM Throughput"
  std::string_view key;                // "dram__throughput.avg.pct_of_peak_sustained_elapsed"
  std::string_view unit;               // behind a value, with its blank: "%", " bytes/sec"
  std::vector<std::string_view> said;  // in prose, lower case
  model::Metric metric;
};

struct JudgeCategory {
  std::string_view id;      // "memory-bound", of the contract of two bottlenecks
  std::string_view coarse;  // "memory", of the contract of any number of them
  std::string_view title;
  std::vector<std::string_view> labels;
  Expression support;  // 0 to 1; unknown when nothing that supports it was measured
  std::vector<std::string_view> indicators, of_variant_b;
  std::vector<model::Metric> evidence;
  std::string_view suggestion;
};

class JudgeKnowledge {
 public:
  // Errors name file and line.
  static Result<JudgeKnowledge> load(const Library& library, const MetricCatalogue& metrics);

  // In the order of a prompt, those of sections first.
  std::span<const JudgedMetric> metrics() const { return metrics_; }
  std::span<const JudgeCategory> categories() const { return categories_; }
  // nullptr: there is none. Upper and lower case are the same.
  const JudgeCategory* category(std::string_view id) const;
  // The one that a label of data/bottlenecks belongs to; nullptr where it belongs to none.
  const JudgeCategory* category_of_label(std::string_view label) const;

 private:
  Result<> add_metric(const Value& entry, std::string_view section, const MetricCatalogue& metrics);
  Result<> add_category(const Value& entry, const MetricCatalogue& metrics);

  std::vector<JudgedMetric> metrics_;
  std::vector<JudgeCategory> categories_;
};

}  // namespace frx::knowledge
