// The paths of files in a run bundle, shared by the code that writes bundles and the code that reads them.
//
//   run-3f9c2a71b04e/
//     metadata.json  manifest.json  run_config.yaml  gpu_metrics.csv  optional_logs.txt
//     raw/trace.jsonl  derived/summary.json  profiler/profiler_trace.json
//     frx_summary.txt  frx_llm_prompt.txt  frx_evidence.json
#pragma once

#include <string_view>

namespace frx::model::bundle {

inline constexpr std::string_view schema_version = "0.1.0";

inline constexpr std::string_view metadata = "metadata.json";
inline constexpr std::string_view manifest = "manifest.json";
inline constexpr std::string_view run_config = "run_config.yaml";
inline constexpr std::string_view gpu_metrics = "gpu_metrics.csv";
inline constexpr std::string_view logs = "optional_logs.txt";
inline constexpr std::string_view raw_trace = "raw/trace.jsonl";
inline constexpr std::string_view derived_summary = "derived/summary.json";
inline constexpr std::string_view profiler_folder = "profiler/";
inline constexpr std::string_view profiler_trace = "profiler/profiler_trace.json";
inline constexpr std::string_view workload_metadata = "raw/workload_metadata.json";
inline constexpr std::string_view workload_run_config = "workload_run_config.yaml";

// A trace of a profiler: profiler/*.json, compressed or not, or a file named like the trace of a rank in an archive of traces only.
inline bool is_profiler_trace(std::string_view path) {
  const bool is_json = path.ends_with(".json") || path.ends_with(".json.gz") || path.ends_with(".json.zst");
  const auto has = [&](std::string_view part) { return path.find(part) != path.npos; };
  const bool is_named_trace = !has("/") && (has(".pt.trace.json") || has("rank") || has("worker"));
  return is_json && (path.starts_with(profiler_folder) || is_named_trace);
}

}  // namespace frx::model::bundle
