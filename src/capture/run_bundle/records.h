// metadata.json, manifest.json and run_config.yaml: the metadata of a bundle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/gpu/gpu_sampler.h"
#include "capture/run_bundle/python_environment.h"
#include "capture/run_bundle/run_folder.h"
#include "capture/run_bundle/yaml_text.h"
#include "capture/workload.h"

namespace frx::capture {

// The input of the records; unknown values are absent.
struct RunRecord {
  std::string job_name;
  std::vector<std::string> workload;           // as it is run
  std::vector<std::string> recorded_workload;  // as it is written down, see secrets.h
  std::chrono::milliseconds interval{1000};
  std::string config_path;  // of --config
  std::string config_text;  // as it is written down
  OrderedJson config;       // its content, as it is written down
  std::string host, platform;
  std::string started_at;
  std::string ended_at;
  std::optional<WorkloadEnd> end;  // absent while it runs
  std::optional<PythonEnvironment> python;
  std::optional<GpuFacts> gpu;
  std::vector<std::string> warnings;  // in order, without repetition

  void warn(std::string text);
};

// "running", then "completed" or "failed". Sorted keys.
std::string metadata_text(const RunRecord& record, const RunFolder& folder);
std::string run_config_text(const RunRecord& record, const RunFolder& folder);

struct Manifest {
  std::vector<std::string> files;  // sorted, manifest.json last
  std::vector<std::string> missing_required;
  std::vector<std::string> missing_recommended;
  bool diagnostic_ready = false;
  bool limited = false;
};

Manifest manifest_of(const RunFolder& folder);
// With size and SHA-256 of each file.
Result<std::string> manifest_text(const Manifest& manifest, const RunRecord& record, const RunFolder& folder);

// The warnings about evidence that a diagnosis will lack (docs/contract.md).
void warn_of_missing_data(const RunFolder& folder, RunRecord& record);

}  // namespace frx::capture
