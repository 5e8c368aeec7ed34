// The GPU a profile was taken on: from the file itself, from --gpu-model, or unknown. Never assumed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/gpu_match.h"
#include "knowledge/gpu_overrides.h"
#include "knowledge/gpus.h"
#include "model/readings.h"
#include "model/session.h"

namespace frx::derive {

struct Device {
  knowledge::GpuMatch match;
  std::shared_ptr<const knowledge::GpuProfile> profile;  // with --arch-profile: what `match` points to
  std::vector<std::string> notes;  // where --gpu-model differs from the file; what --arch-profile changed or could not
  std::string name;                // as the file or the user gives it; "" when unknown
  std::string origin;              // "the file", "--gpu-model", "nothing in the file names it"
  std::optional<model::ComputeCapability> cc;
  std::optional<double> sm_count;
  std::optional<double> attribute_gbps;  // DRAM peak by the device attributes of the file

  const knowledge::SmLimits* limits() const { return match.limits; }
  std::optional<double> peak_tflops(std::string_view precision) const;
  std::optional<double> peak_gbps() const;
  // "NVIDIA A100-SXM4-80GB (CC 8.0, from the file)", for people.
  std::string describe() const;
};

// What the option names comes before what the file says, its attributes included (docs/contract.md, section 6.2); `notes` say so where
// the two differ. Where they agree the attributes choose between versions of a product. `readings` supplies them.
Device find_device(const model::Session& session, const model::Readings& readings, const knowledge::GpuCatalogue& gpus,
                   const std::string& gpu_model);

// Lays the user's own numbers over the device.
Result<> apply_overrides(const knowledge::GpuOverrides& overrides, const std::string& gpu_model, Device& device);

// SM count, thread slots and peaks as readings, so that formulas and labels can use them.
void add_device_readings(const Device& device, model::Readings& readings);

}  // namespace frx::derive
