#include "derive/derive.h"

#include <algorithm>

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

using knowledge::Aggregate;
using model::Origin;
using model::Reading;

constexpr std::string_view family_of_stalls = "stalls";

double combined(const model::Spread& spread, Aggregate aggregate) {
  switch (aggregate) {
    case Aggregate::sum: return spread.sum;
    case Aggregate::max: return spread.max;
    case Aggregate::min: return spread.min;
    case Aggregate::mean: return spread.sum / spread.count;
    case Aggregate::same: return spread.longest >= 0 ? spread.of_longest : spread.mean();
    case Aggregate::time_mean: return spread.mean();
  }
  return spread.mean();
}

double weight_of(const model::Spread& spread) { return spread.weight > 0 ? spread.weight : static_cast<double>(spread.count); }

// The states of warps are parts of one whole: where launches differ in which of them they have, each counts for all launches that have any.
// What a launch does not have is then none of its time - a lower bound -, and the parts are never more than the whole.
double whole_of_stalls(const model::Session& session, const model::LaunchGroup& group, const knowledge::MetricCatalogue& catalogue) {
  double whole = 0;
  for (std::size_t i = 0; i < group.spreads.size(); ++i) {
    if (catalogue[session.columns[i]].family == family_of_stalls && group.spreads[i].count > 0)
      whole = std::max(whole, weight_of(group.spreads[i]));
  }
  return whole;
}

}  // namespace

model::Readings readings_of(const model::Session& session, const model::LaunchGroup& group, const knowledge::MetricCatalogue& catalogue,
                            Launches launches) {
  model::Readings readings(catalogue.size());
  const double whole = launches == Launches::different ? whole_of_stalls(session, group, catalogue) : 0;
  for (std::size_t i = 0; i < group.spreads.size(); ++i) {
    const model::Spread& spread = group.spreads[i];
    if (spread.count == 0) continue;
    const model::Metric metric = session.columns[i];
    const bool is_part = whole > 0 && catalogue[metric].family == family_of_stalls && catalogue[metric].aggregate == Aggregate::time_mean;
    const double share = is_part ? weight_of(spread) / whole : 1;
    readings.set(metric, {share * combined(spread, catalogue[metric].aggregate), Origin::measured, spread.line, spread.count, {}});
  }
  if (const model::Reading* duration = readings.find(metrics::kernel_duration); duration && duration->launches > 0) {
    const model::Reading all = *duration;
    readings.set(metrics::kernel_duration_mean,
                 {all.value / all.launches, Origin::derived, all.line, all.launches, "kernel_duration / launches"});
  }
  add_launch_shape(group, readings);
  return readings;
}

void add_launch_shape(const model::LaunchGroup& group, model::Readings& readings) {
  const auto add = [&](model::Metric metric, double value) { readings.set(metric, {value, Origin::measured, 0, 0, "the launch line"}); };
  const auto product = [](const model::Dim3& dims) {
    return static_cast<double>(dims[0]) * static_cast<double>(dims[1]) * static_cast<double>(dims[2]);
  };
  if (group.grid && product(*group.grid) > 0) add(metrics::grid_size, product(*group.grid));
  if (group.block && product(*group.block) > 0) add(metrics::threads_per_block, product(*group.block));
}

Formulas::Formulas(const knowledge::MetricCatalogue& metrics, const std::vector<model::Metric>& present) {
  // Formulas of which nothing is present or computable cannot give a value.
  std::vector<bool> is_reachable(metrics.size(), false);
  for (const model::Metric metric : present) is_reachable[metric.index] = true;
  for (const knowledge::FormulaOfMetric& one : metrics.formulas_in_order()) {
    if (!one.slots.empty() && std::ranges::none_of(one.slots, [&](std::uint32_t slot) { return is_reachable[slot]; })) continue;
    is_reachable[one.metric.index] = true;
    steps_.push_back({one.metric, &metrics.formulas_of(one.metric)[one.number], metrics[one.metric].unit.scale});
  }
}

void Formulas::add_derived(model::Readings& readings) const {
  const knowledge::Lookup lookup = [&](std::uint32_t slot) { return readings.value(model::Metric{static_cast<std::uint16_t>(slot)}); };
  for (const Step& step : steps_) {
    if (readings.has(step.metric)) continue;  // measured, or an earlier formula gave it
    if (const std::optional<double> result = step.formula->number(lookup)) {
      readings.set(step.metric, {*result / step.scale, Origin::derived, 0, 0, step.formula->text()});
    }
  }
}

void add_derived(const knowledge::MetricCatalogue& metrics, model::Readings& readings) {
  std::vector<model::Metric> present;
  for (std::uint16_t i = 0; i < readings.size(); ++i) {
    if (readings.has(model::Metric{i})) present.push_back(model::Metric{i});
  }
  Formulas(metrics, present).add_derived(readings);
}

}  // namespace frx::derive
