// Which counters to collect for a question: data/metrics/presets.yaml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/gpus.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {

// Counters that GPUs of this compute capability have and others lack, from a version of ncu on.
struct CountersOnGpu {
  model::ComputeCapability cc;
  std::string_view ncu;  // "2025.1"
  std::vector<model::Metric> metrics;
};

// Counters that GPUs of this compute capability lack.
struct CountersNotOnGpu {
  model::ComputeCapability cc;
  std::vector<model::Metric> metrics;
};

struct Preset {
  std::string_view name;
  std::string_view description;
  std::vector<model::Metric> metrics;    // in the order in which they are requested
  std::vector<model::Metric> required;   // that an export must hold to be complete for the preset
  std::vector<CountersOnGpu> on_gpus;    // besides, where the GPU is known
  std::vector<CountersNotOnGpu> not_on;  // left out, where the GPU is known

  const CountersOnGpu* on(model::ComputeCapability gpu) const;
  // Those of the preset that the GPU lacks, in the order of `metrics`.
  std::vector<model::Metric> left_out_on(model::ComputeCapability gpu) const;
};

// The presets in the order of the file. A name that is not in the catalogue, or that cannot be requested from ncu, is an error that names
// file and line.
Result<std::vector<Preset>> load_presets(const Library& library, const MetricCatalogue& metrics);

// The names alone, without loading the catalogue; for help and completion.
std::vector<std::string> preset_names(const Library& library);

// The counters of a preset, as a value of `--metrics`: for a GPU that is known with those that it has beside others, and without those that
// it lacks.
std::vector<std::string> counters_of(const Preset& preset, const MetricCatalogue& metrics,
                                     std::optional<model::ComputeCapability> gpu = std::nullopt);

}  // namespace frx::knowledge
