// All catalogues built from data/, loaded once.
#pragma once

#include <string>
#include <vector>

#include "knowledge/gpus.h"
#include "knowledge/kernel_classes.h"
#include "knowledge/labels.h"
#include "knowledge/library.h"
#include "knowledge/metric_tables.h"
#include "knowledge/metrics.h"
#include "knowledge/presets.h"

namespace frx::knowledge {

struct Knowledge {
  Library library;
  MetricCatalogue metrics;
  MetricTables tables;
  KernelClasses classes;
  LabelCatalogue labels;
  GpuCatalogue gpus;
  std::vector<Preset> presets;

  // `data_directory`: --data DIR, or "" for the embedded data only.
  static Result<Knowledge> load(const std::string& data_directory);
};

}  // namespace frx::knowledge
