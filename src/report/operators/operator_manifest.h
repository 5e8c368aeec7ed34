// The kernels of a capture in start order, each with the operators that launched it: manifest.json, of a recording or as it was written
// before by frx or another program (data/schemas/operator_manifest_v1.json).
//
// Both kinds of profile.json come from here, so that there is one way to write one: a recording becomes a manifest first.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "base/result.h"
#include "report/operators/operator_profile.h"

namespace frx::report {

// What the texts of the ranges of layers begin with.
inline constexpr std::string_view unique_layer = "layer::unique::", duplicate_layer = "layer::duplicate::";

struct ManifestRange {
  std::string text, domain = "default";
  std::uint32_t depth = 0;  // 0: the outermost
  std::int64_t start_ns = 0, end_ns = 0;
};

struct ManifestKernel {
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  std::string id;                          // "k_00000"
  std::uint32_t name = 0, mangled = none;  // of the names
  std::int64_t stream = -1, device = -1, start_ns = 0, duration_ns = 0;
  std::optional<std::array<std::uint32_t, 3>> grid, block;
  std::optional<std::uint32_t> registers, dynamic_shared;

  std::string method = "unattributed", confidence = "unattributed";
  std::vector<std::uint32_t> operators;  // of the names, innermost first
  std::uint32_t range = none;            // of the ranges: the operator's, or the scope's
  std::vector<std::uint32_t> enclosing;  // ranges, innermost first
  bool is_fused = false;
  std::vector<std::uint32_t> fused;  // of the names
  std::uint32_t layer = none;        // of the names: the layer that launched it
  bool is_unique_layer = false;      // which stands for its duplicates
  std::uint32_t module = none;       // of the names: the innermost module that launched it, or that its gradient is of
  std::uint32_t forward = none;      // of the names: of the backward pass, the forward operator whose gradient it computes
  std::optional<std::uint32_t> iteration;
  bool is_before_window = false;

  bool is_attributed() const { return !is_before_window && !operators.empty(); }
};

// What was done about the clocks of the GPU.
struct CaptureClocks {
  std::string status;                              // "locked", "not_locked"
  std::optional<double> graphics_mhz, memory_mhz;  // that they were locked to
};

struct CaptureFacts {
  std::string model_name = "model", torch_version = "not recorded", compile_mode = "not recorded", timestamp_utc;
  std::string cuda_version, nsys_report, ncu_report, device_name;  // "": not known
  std::optional<std::uint64_t> warmup_iterations, measured_iterations;
  std::optional<CaptureClocks> clocks;                            // absent: not recorded
  std::map<std::string, std::vector<std::int64_t>> input_shapes;  // of the inputs of the model by name; empty: not recorded
};

struct OperatorManifest {
  CaptureFacts capture;
  Interner names;
  std::vector<ManifestRange> ranges;
  std::vector<ManifestKernel> kernels;  // by start
  std::vector<std::string> warnings;
  bool has_window = false;

  std::string_view name_of(const ManifestKernel& kernel) const { return names[kernel.name]; }
};

OperatorManifest manifest_of(const OperatorProfile& profile);
// The text of a manifest.json of schema 1.x. Malformed, naming file and member, when it is something else.
Result<OperatorManifest> read_operator_manifest(std::string_view name, std::string_view json);
// What NAME.capture.json says of the run, instead of what was known before; what it does not say stays.
Result<> read_capture_facts(std::string_view name, std::string_view json, CaptureFacts& facts);

// A call of an operator with its kernels.
struct ManifestOperator {
  std::uint32_t name = 0;   // of the names
  std::uint32_t index = 0;  // of the calls of this name, from 0
  std::uint32_t range = ManifestKernel::none;
  std::vector<std::uint32_t> kernels;  // by start
  std::int64_t gpu_ns = 0;
};

// By their first kernel; kernels of one range are of one call, kernels without a range are calls of their own.
std::vector<ManifestOperator> operators_in(const OperatorManifest& manifest);
// GPU time by operator. `source`: what the report is about.
OperatorReport operator_report_of(const OperatorManifest& manifest, std::string_view source);

}  // namespace frx::report
