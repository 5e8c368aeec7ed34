// The user's own numbers for a GPU: --arch-profile FILE.
//
// peak_fp32_tflops: 60            for every GPU, applied last
//   classifier_thresholds:
//     ncu_occupancy_low_pct: 30
//   profiles:                       or the keys directly at the top
//     h100: {memory_bandwidth_gbps: 3300}
// sm_90: {sm_count: 114}        wins over h100 where both have a value
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/gpu_match.h"
#include "knowledge/thresholds.h"

namespace frx::knowledge {

// The values of one GPU after the overrides. Text in it is owned by the library of the catalogue.
struct GpuProfile {
  GpuProduct product;  // of an unknown GPU: only the values of the file
  std::optional<SmLimits> limits;
  std::map<std::string, double> classifier_thresholds;
  std::vector<std::string> overridden;  // "memory_bandwidth_gbps = 3300 (profile.yaml:7)"
  std::vector<std::string> notes;       // unknown fields, with a suggestion
};

class GpuOverrides {
 public:
  // A missing file, a text where a number belongs, a list where a map belongs and a threshold that is not among `known` are errors,
  // in the sections of other GPUs, too.
  static Result<GpuOverrides> load(const std::string& path, const Thresholds& known);
  static Result<GpuOverrides> parse(std::string file, const std::string& text);

  // `model` is the user's name of the GPU, "" without one.
  Result<GpuProfile> apply(const GpuMatch& match, std::string_view model) const;

 private:
  Result<> check(const Value& section) const;

  std::shared_ptr<const Document> document_;
  std::shared_ptr<const DocumentView> view_;
};

}  // namespace frx::knowledge
