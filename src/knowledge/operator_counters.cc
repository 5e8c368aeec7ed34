#include "knowledge/operator_counters.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

constexpr std::string_view counters_file = "data/operators/counters.yaml";

Result<model::Metric> metric_called(const Value& id, const MetricCatalogue& metrics) {
  if (const std::optional<model::Metric> metric = metrics.with_id(id.text())) return *metric;
  return fail(ErrorKind::malformed, "no metric is called '{}'", id.text()).at(id.where());
}

Result<OperatorCounter> counter_in(const Value& entry, const MetricCatalogue& metrics) {
  OperatorCounter counter;
  counter.member = entry["member"].text();
  const std::string_view how = entry["how"].text();
  if (counter.member.empty() || (how != "sum" && how != "mean" && how != "max"))
    return fail(ErrorKind::malformed, "expected a member, and sum, mean or max as how").at(entry.where());
  counter.how = how == "sum" ? OperatorCounter::How::sum : how == "max" ? OperatorCounter::How::max : OperatorCounter::How::mean;
  TRY_ASSIGN(const Value from, entry.list("from"));
  for (std::size_t i = 0; i < from.size(); ++i) {
    TRY_ASSIGN(const model::Metric metric, metric_called(from.item(i), metrics));
    counter.from.push_back(metric);
  }
  if (counter.from.empty()) return fail(ErrorKind::malformed, "expected metrics as from").at(entry.where());
  if (entry["weight"]) {
    TRY_ASSIGN(counter.weight, metric_called(entry["weight"], metrics));
  }
  return counter;
}

}  // namespace

std::vector<model::Metric> OperatorCounters::asked() const {
  std::vector<model::Metric> all = also;
  for (const OperatorCounter& counter : counters) {
    for (const model::Metric metric : counter.from) {
      if (std::ranges::find(all, metric) == all.end()) all.push_back(metric);
    }
  }
  return all;
}

Result<OperatorCounters> load_operator_counters(const Library& library, const MetricCatalogue& metrics) {
  OperatorCounters all;
  const Value file = library.file(counters_file);
  TRY_ASSIGN(const Value list, file.list("counters"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY_ASSIGN(OperatorCounter counter, counter_in(list.item(i), metrics));
    all.counters.push_back(std::move(counter));
  }
  TRY_ASSIGN(const Value also, file.list("also"));
  for (std::size_t i = 0; i < also.size(); ++i) {
    TRY_ASSIGN(const model::Metric metric, metric_called(also.item(i), metrics));
    all.also.push_back(metric);
  }
  return all;
}

}  // namespace frx::knowledge
