#include "report/operators/operator_launches.h"

namespace frx::report {

OperatorLaunches::OperatorLaunches(std::string source, const knowledge::MetricCatalogue& metrics)
    : session_(std::make_shared<model::Session>()) {
  session_->source = std::move(source);
  session_->places = model::Places::launches;
  table_ = std::make_unique<ingest::LaunchTable>(*session_, metrics);
}

void OperatorLaunches::begin(const model::LaunchIdentity& identity, std::uint64_t place) {
  place_ = place;
  table_->at_next(identity, place);
}

void OperatorLaunches::set(model::Metric metric, double value) {
  const std::uint32_t column = table_->column(metric);
  if (!table_->has(column)) table_->set(column, value, place_);
}

std::shared_ptr<const model::Session> OperatorLaunches::finish(const Devices& devices) {
  table_->finish();
  table_.reset();
  session_->devices = devices;
  return session_;
}

}  // namespace frx::report
