// Profiles of one kernel.
#pragma once

#include "analyse/context.h"
#include "analyse/inputs.h"
#include "report/kernels/kernel_profile.h"

namespace frx::analyse {

// A profile of Nsight Compute with every launch by itself. Errors name the source: it cannot be read, or is no profile.
Result<model::Session> read_launches(Input input, Context& context);

// Errors as read_launches() and report::kernel_profile_of().
Result<report::KernelProfile> analyse_kernel(Input input, const report::KernelProfileRequest& request, Context& context);

}  // namespace frx::analyse
