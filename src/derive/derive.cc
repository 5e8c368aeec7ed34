#include "derive/derive.h"

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

using knowledge::Aggregate;
using model::Origin;
using model::Reading;

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

// Depth-first evaluation of formulas with a guard against circles.
class Deriver {
 public:
  Deriver(const knowledge::MetricCatalogue& metrics, model::Readings& readings)
      : metrics_(metrics), readings_(readings), tried_(metrics.size(), false) {}

  std::optional<double> value(model::Metric metric) {
    if (const Reading* reading = readings_.find(metric)) return reading->value;
    if (tried_[metric.index]) return std::nullopt;
    tried_[metric.index] = true;
    const knowledge::MetricDefinition& definition = metrics_[metric];
    for (const knowledge::Expression& formula : definition.formulas) {
      const std::optional<double> result = formula.number(
          [this](std::uint32_t slot) { return value(model::Metric{static_cast<std::uint16_t>(slot)}); });
      if (!result) continue;
      readings_.set(metric, {*result / definition.unit.scale, Origin::derived, 0, 0, formula.text()});
      return *result / definition.unit.scale;
    }
    return std::nullopt;
  }

 private:
  const knowledge::MetricCatalogue& metrics_;
  model::Readings& readings_;
  std::vector<bool> tried_;
};

}  // namespace

model::Readings readings_of(const model::Session& session, const model::LaunchGroup& group,
                            const knowledge::MetricCatalogue& metrics) {
  model::Readings readings(metrics.size());
  for (std::size_t i = 0; i < group.spreads.size(); ++i) {
    const model::Spread& spread = group.spreads[i];
    if (spread.count == 0) continue;
    const model::Metric metric = session.columns[i];
    readings.set(metric, {combined(spread, metrics[metric].aggregate), Origin::measured, spread.line, spread.count, {}});
  }
  add_launch_shape(group, readings);
  return readings;
}

void add_launch_shape(const model::LaunchGroup& group, model::Readings& readings) {
  const auto add = [&](model::Metric metric, double value) {
    readings.set(metric, {value, Origin::measured, 0, 0, "the launch line"});
  };
  const auto product = [](const model::Dim3& dims) {
    return static_cast<double>(dims[0]) * static_cast<double>(dims[1]) * static_cast<double>(dims[2]);
  };
  if (group.grid && product(*group.grid) > 0) add(metrics::grid_size, product(*group.grid));
  if (group.block && product(*group.block) > 0) add(metrics::threads_per_block, product(*group.block));
}

void add_derived(const knowledge::MetricCatalogue& metrics, model::Readings& readings) {
  Deriver deriver(metrics, readings);
  for (const knowledge::MetricDefinition& definition : metrics.all()) {
    if (!definition.formulas.empty()) deriver.value(definition.metric);
  }
}

}  // namespace frx::derive
