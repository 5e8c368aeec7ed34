// What a GPU did while a kernel was profiled, as blocks of the kernel's profile.
#pragma once

#include <span>

#include "model/full_profile.h"
#include "model/gpu_interval.h"
#include "model/session.h"
#include "report/kernels/kernel_profile.h"

namespace frx::report {

// The driver's name for the devices of a session that has none, where there is no doubt which it is: all GPUs that were measured have the
// same name.
void name_devices(std::span<const model::GpuInterval> gpus, model::Session& session);

// Driver, memory, temperature, power and clocks of the one GPU; with several GPUs a note instead, because it is not known which of them ran
// the kernel. `during` says in the provenance what ran: "while ncu ran". Energy is not told here: a profiler repeats launches, so that what
// the interval took is not what they take.
void add_gpu_blocks(std::span<const model::GpuInterval> gpus, std::string_view during, model::FullProfile& profile);

// Energy of a run of the program by itself, without a profiler, and from it, with the kernel's time and rate that were profiled:
//     average power (W) = energy of the run / its time             TFLOP/s per watt = TFLOP/s of the kernel / average power
//     joules of a launch = average power x time of the kernel      from model::fewest_samples_to_divide samples on
// What cannot be told is absent, and a hint says why. A note says where the kernel takes a small part of the run, whose power is that of
// other work then.
void add_energy(std::span<const model::GpuInterval> gpus, KernelProfile& made);

}  // namespace frx::report
