// What one process of a layout trial said of itself: the file side.json that fournex.layout.Trial writes, and the tensors beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::report {

struct TrialWindow {
  double ns = 0;
  std::optional<double> items;  // that it took; absent: not said
};

// A tensor in a file of raw bytes, in logical order, little-endian.
struct TrialTensor {
  std::string name, file, dtype;  // "output0", "output0.bin", "float32"
  std::vector<std::int64_t> sizes;
  std::uint64_t elements = 0;  // of the file
  std::uint64_t stride = 1;    // each so many elements of the tensor are in the file
};

// Absent: not known to the process.
struct CompileCounters {
  std::string mode;    // "eager", "torch.compile", or as the program calls it
  std::string source;  // of the counters: "torch._dynamo", "the program"; "" where there are none
  std::optional<std::int64_t> unique_graphs, graph_breaks, recompiles, cudagraph_skips;
};

struct TrialPrecision {
  std::vector<std::string> parameters;  // types
  bool tf32_matmul = false, tf32_cudnn = false, cudnn_benchmark = false, deterministic = false;
  bool operator==(const TrialPrecision&) const = default;
};

struct TrialDistribution {
  bool initialised = false;
  std::optional<std::int64_t> world_size, groups;
  std::string backend;
  std::vector<std::string> wrappers;  // classes around the model: "DistributedDataParallel"
};

struct TrialSide {
  std::int64_t rank = 0;
  std::string torch;         // version
  std::string plan_sha256;   // of the plan that was applied; "" without one
  std::int64_t modules = 0;  // that the plan matched
  std::optional<std::int64_t> seed;
  std::string device_kind, device_name;  // "cuda", "NVIDIA H100"
  std::optional<double> device_memory_bytes;
  TrialPrecision precision;
  std::optional<double> longest_sum;  // terms of the longest sum of a layer of the model; absent: the program told none
  std::vector<TrialWindow> windows;
  std::optional<double> peak_memory_bytes;
  std::string memory_of;  // how that was measured
  CompileCounters compile;
  TrialDistribution distributed;
  std::optional<std::vector<std::string>> namespaces;  // of operators, in profiled windows; absent: none were profiled
  std::int64_t profiled_windows = 0;
  std::string trace;           // name of its file; "" when there is none
  std::vector<double> losses;  // may be NaN or infinite
  std::vector<TrialTensor> outputs;
  std::vector<std::string> notes;
};

// Malformed, with the name of the file and the member. Names of files are those of the folder alone: one with a separator is malformed.
Result<TrialSide> read_trial_side(std::string_view name, const std::string& text);

}  // namespace frx::report
