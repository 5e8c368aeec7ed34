// The measured launches of one operator as a session of their own, so that they are diagnosed as any profile is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ingest/launch_table.h"
#include "knowledge/metrics.h"
#include "model/measured_launches.h"
#include "model/session.h"

namespace frx::report {

// What both the counters and the recording say about the GPUs.
using Devices = std::map<int, model::DeviceFacts>;

class OperatorLaunches {
 public:
  // `source`: the file of the counters. `metrics` outlives this.
  OperatorLaunches(std::string source, const knowledge::MetricCatalogue& metrics);

  // Begins a launch, the `place`th of its file, from 1. Its values follow; of several values of a metric the first counts.
  void begin(const model::LaunchIdentity& identity, std::uint64_t place);
  void set(model::Metric metric, double value);  // in the unit of the metric
  bool is_empty() const { return session_->kernels.empty(); }

  // The session is complete; nothing can be added any more.
  std::shared_ptr<const model::Session> finish(const Devices& devices);

 private:
  std::shared_ptr<model::Session> session_;
  std::unique_ptr<ingest::LaunchTable> table_;
  std::uint64_t place_ = 0;
};

}  // namespace frx::report
