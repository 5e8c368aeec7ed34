// One observed run from start to sealed bundle: the work of `frx collect`.
//
// The bundle can be read at every moment: metadata.json says "running" before the workload starts, streams go to disk as
// they come, and every other file appears whole or not at all.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/host.h"
#include "capture/live/publisher.h"
#include "capture/run_bundle/records.h"
#include "capture/workload.h"

namespace frx::capture {

struct CollectRequest {
  std::string job_name = "frx-run";
  std::string out = "runs";
  std::string run_id;                             // empty: a new one
  std::vector<std::string> artifact_directories;  // empty: ./frx-job-run
  bool import_profiler = true;
  std::chrono::milliseconds interval{1000};
  std::string config_path;  // YAML merged over run_config.yaml; empty: none
  LiveRequest live;         // what is published while it runs
  std::string version;      // of this program, for what is published
  bool zip = true;
  bool keep_arguments = false;  // also those that look like credentials
  std::vector<std::string> workload;
  int output = 1, errors = 2;                                // where the workload's streams are passed on to
  std::function<void(std::string_view line)> say;            // progress messages for the user; may be empty
  std::function<Result<>(const RunFolder&)> before_sealing;  // adds files to the finished run; may be empty
};

struct CollectResult {
  WorkloadEnd end;
  std::string directory;  // as the user typed it: "runs/run-1"
  std::string zip;        // "" when none was made
  Manifest manifest;
  std::vector<std::string> imported;  // paths in the bundle
  std::vector<std::string> warnings;
  std::vector<Error> failures;  // our own, after the workload had started
};

// An error only when the workload did not run; no bundle is left then.
Result<CollectResult> collect(const CollectRequest& request, const Host& host);

}  // namespace frx::capture
