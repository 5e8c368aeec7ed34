// Imports files that the workload wrote elsewhere into the bundle.
//
//   trace.jsonl -> raw/trace.jsonl                         *.pt.trace.json[.gz] -> profiler/ (tensorboard_trace_handler)
//   summary.json -> derived/summary.json                   profiler_trace.json[.gz] -> profiler/
//   metadata.json -> raw/workload_metadata.json            gpu_metrics.csv -> the same, when larger than ours
//   run_config.yaml -> workload_run_config.yaml
//
// Only gpu_metrics.csv replaces an existing file. A file that existed before the run and has not changed since belongs to another run, and
// is not imported.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "capture/run_bundle/run_folder.h"

namespace frx::capture {

class ArtifactImport {
 public:
  // Call before the workload starts.
  ArtifactImport(std::vector<std::string> directories, bool with_profiler);

  struct Outcome {
    std::vector<std::string> imported;  // paths in the bundle
    std::vector<std::string> warnings;
  };
  Outcome run(const RunFolder& folder) const;

 private:
  using Mark = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  // inode, size, time of change

  void take(const std::string& source, const RunFolder& folder, bool move, Outcome& outcome) const;
  bool is_old(const std::string& path) const;

  std::vector<std::string> directories_;
  bool with_profiler_;
  std::map<std::string, Mark> before_;
};

}  // namespace frx::capture
