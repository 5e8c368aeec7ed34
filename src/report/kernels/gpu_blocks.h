// What a GPU did while a kernel was profiled, as blocks of the kernel's profile.
#pragma once

#include <span>

#include "model/full_profile.h"
#include "model/gpu_interval.h"
#include "model/session.h"

namespace frx::report {

// The driver's name for the devices of a session that has none, where there is no doubt which it is: all GPUs that were measured have the
// same name.
void name_devices(std::span<const model::GpuInterval> gpus, model::Session& session);

// Driver, memory, temperature, power and clocks of the one GPU; with several GPUs a note instead, because it is not known which of them ran
// the kernel. Energy is not told: a profiler repeats launches, so that what the interval took is not what they take.
void add_gpu_blocks(std::span<const model::GpuInterval> gpus, model::FullProfile& profile);

}  // namespace frx::report
