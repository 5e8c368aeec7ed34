#include "history/views.h"

#include <algorithm>

#include "base/text.h"
#include "derive/compare/two_samples.h"

namespace frx::history {

std::size_t Recorded::added() const {
  return static_cast<std::size_t>(std::ranges::count_if(records, [](const One& one) { return one.is_new; }));
}

std::optional<double> Trend::level() const {
  const std::size_t from = changes.found.empty() ? 0 : changes.found.back().at;
  std::vector<double> values;
  for (std::size_t i = from; i < points.size(); ++i) values.push_back(points[i].value);
  if (values.empty()) return std::nullopt;
  return derive::compare::median_of(std::move(values));
}

Result<Trend> trend_of(Store& store, const std::string& series, const std::string& metric, std::size_t most) {
  Trend trend{.store = store.name(), .series = series, .metric = metric, .metrics = {}, .points = {}, .changes = {}};
  TRY_ASSIGN(trend.metrics, store.metrics(series));
  if (trend.metrics.empty()) {
    return fail(ErrorKind::not_enough, "no record has the series '{}' and a number", printable(series))
        .at(store.name())
        .hint("frx history list --by-series shows the series that there are");
  }
  if (trend.metric.empty()) trend.metric = trend.metrics.front();
  if (std::ranges::find(trend.metrics, trend.metric) == trend.metrics.end()) {
    return fail(ErrorKind::not_enough, "no record of the series has a number '{}'", printable(trend.metric))
        .at(store.name())
        .hint("it has " + join(trend.metrics, ", "));
  }
  TRY_ASSIGN(trend.points, store.trend(series, trend.metric, most));
  std::vector<double> values;
  for (const TrendPoint& point : trend.points) values.push_back(point.value);
  trend.changes = find_changes(values);
  return trend;
}

}  // namespace frx::history
