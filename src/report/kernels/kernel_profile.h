// The profile of one kernel: what was measured of the launches that were chosen, where they stand under the roofline of the GPU that they
// ran on, and what that is worth. As a document (model/full_profile.h), with what only a reader of the text wants beside it.
//
// Whatever was not measured is absent. Nothing is assumed: no GPU, no number of operations, no precision.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/device.h"
#include "knowledge/knowledge.h"
#include "model/full_profile.h"
#include "report/kernels/kernel_launches.h"
#include "report/kernels/work_model.h"

namespace frx::report {

struct KernelProfileRequest {
  std::string name = {};       // as choose_launches() takes it
  WorkRequest work = {};       // operations, where the caller knows them
  std::string gpu_model = {};  // --gpu-model, or ""
  bool estimate = false;       // operations may be estimated from how busy the tensor pipes were
};

// A value beside the limit from which it is good. There is none for what was not measured, nor where the limit does not apply to the
// kernel.
struct Badge {
  std::string_view field;  // "gpu_compute.warp_execution_efficiency_pct"
  std::string_view rule;   // "warp_efficiency"
  double value = 0, threshold = 0;
  bool is_ok() const { return value >= threshold; }
};

struct KernelProfile {
  model::FullProfile profile;
  std::vector<MatchedLaunches> matches;  // of the name, the one that is used first
  std::vector<Badge> badges;
  std::vector<std::string> hints;  // what is missing, and the command that gets it

  // nullptr where the field has none.
  const Badge* badge(std::string_view field) const;
};

// Errors as choose_launches() and work_of(); `session` has every launch by itself.
Result<KernelProfile> kernel_profile_of(model::Session session, const KernelProfileRequest& request, const knowledge::Knowledge& known);

// Without a run: what is known of the GPU that `gpu_model` names and of the operations that the request states. `estimated` says so where
// the request allows estimates: the time is then at least that of the peak. Usage: the GPU or the operations are not understood.
Result<KernelProfile> static_kernel_profile(const KernelProfileRequest& request, const knowledge::Knowledge& known);

// Of a document that was written before.
std::vector<Badge> badges_of(const model::FullProfile& profile, const knowledge::Knowledge& known);

// Counters to ask ncu for, besides those of the preset "full".
std::vector<std::string> counters_of_profile(const knowledge::MetricCatalogue& metrics);

}  // namespace frx::report
