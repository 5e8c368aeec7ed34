// Where a profile of a kernel stands under the roofline of a GPU, and what the GPU can do at best.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "derive/device.h"
#include "diagnose/diagnosis.h"
#include "knowledge/knowledge.h"
#include "model/full_profile.h"

namespace frx::report {

// Of what is printed of a GPU before anything has run.
inline constexpr std::string_view static_precision = "fp16_tensor";

struct RooflineInput {
  std::string_view precision;               // of most of the operations; "" where it is not known
  std::optional<double> measured_clock_hz;  // of the SMs, during the launches
};

// By the operations that were counted, else by which pipes worked, else by the name of a kernel whose tensor cores worked; "" where none of
// that tells.
std::string_view precision_of(const diagnose::KernelDiagnosis& kernel, const model::Readings& readings);

// What the option names; usage where nothing is known by it.
Result<derive::Device> device_called(const std::string& gpu_model, const knowledge::Knowledge& known);

// Name, compute capability, memory and bandwidth, each with its source.
void describe_gpu(const derive::Device& device, model::FullProfile& profile);

// Rates, intensities, ceilings and distances, from the operations, bytes and time that the profile has. What lacks an input is absent.
void add_roofline(const derive::Device& device, const RooflineInput& input, model::FullProfile& profile);

}  // namespace frx::report
