// Samples through nvidia-smi, where NVML cannot be loaded: one process that repeats its query, not one per sample.
#pragma once

#include <chrono>

#include "capture/gpu/gpu_source.h"
#include "capture/host.h"

namespace frx::capture {

// Fails, saying why, when there is none or it finds no GPU.
Result<std::unique_ptr<GpuSource>> open_nvidia_smi(const Host& host, std::chrono::milliseconds interval);

// One line of its CSV: index and uuid, the seven fields of docs/contract.md, and further ones when the driver supports them. nullopt for a
// line that is no sample, such as a message.
std::optional<GpuSample> parse_nvidia_smi_line(std::string_view line);

}  // namespace frx::capture
